"""The inner loops of this room, written for `ibgen.route.fast`: walking flows, the largest load on a way, counting in-trees.

Takes and fills flat or two-dimensional arrays; a directed link is `switch * width + port`. They run compiled or not at all: the
numpy ways in `walking`, `loads` and `trees` do the same, and the tests hold both against each other. Nothing here checks an
index: callers give tables whose ports are below `width`, or `none`.
"""

from __future__ import annotations

from typing import Any


def walk_flows(
    lft: Any, peer: Any, leaf: Any, sources: Any, destinations: Any, none: int, most: int, first: Any, order: Any, at: Any,
    channels: Any,
) -> int:  # fmt: skip
    """Fills `channels` [most, F] (-1 behind the end), all flows a hop at a time so that their look-ups overlap, in the order of
    the destinations. Gives the hops taken, `most` + 1 where a flow goes on.

    `first` [E + 1] are zeros; `order` and `at` [F] are room to work with. A flow to itself has no channel; one that ends
    elsewhere than at its destination has: its caller looks at the last one.
    """
    width = peer.shape[1]
    for d in destinations:
        first[d + 1] += 1
    for i in range(len(leaf)):
        first[i + 1] += first[i]
    for f in range(len(destinations)):
        d = destinations[f]
        order[first[d]] = f
        at[first[d]] = -1 if sources[f] == d or leaf[d] < 0 else leaf[sources[f]]
        first[d] += 1
    for step in range(most):
        going = 0
        for i in range(len(order)):
            s = at[i]
            if s >= 0:
                f = order[i]
                port = lft[destinations[f], s]
                if port == none or port == 0:
                    at[i] = -1
                else:
                    channels[step, f] = s * width + port
                    at[i] = peer[s, port]
                    going += 1
        if going == 0:
            return step
    for i in range(len(order)):
        if at[i] >= 0:
            return most + 1
    return most


def count_loads(channels: Any, sources: Any, going: Any, links: Any, injected: Any, largest: Any) -> None:
    """Counts `links` [S * width] and `injected` [E] over the flows that go, then fills `largest` [F] with the largest load on
    each one's way; 1 for a flow that does not go. `channels` [H, F]."""
    for f in range(len(sources)):
        largest[f] = 1
        if going[f]:
            injected[sources[f]] += 1
    for step in range(len(channels)):
        for f in range(len(sources)):
            if going[f] and channels[step, f] >= 0:
                links[channels[step, f]] += 1
    for f in range(len(sources)):
        if going[f]:
            largest[f] = injected[sources[f]]
    for step in range(len(channels)):
        for f in range(len(sources)):
            if going[f] and channels[step, f] >= 0:
                largest[f] = max(largest[f], links[channels[step, f]])


def count_trees(
    lft: Any, peer: Any, hosts: Any, starts: Any, targets: Any, leaf: Any, none: int, most: int, links: Any, here: Any,
    after: Any, now: Any, following: Any,
) -> None:  # fmt: skip
    """Adds to `links` [S * width] what a flow from every endpoint to each of `targets` puts on every link. `lft` has a row per
    target, `starts` are the switches with endpoints; `here`, `after`, `now`, `following` [S] are zeros to work with."""
    width = peer.shape[1]
    for row in range(len(targets)):
        own = leaf[targets[row]]
        count = 0
        for s in starts:
            weight = hosts[s] - (1 if s == own else 0)
            if weight > 0:
                here[s] = weight
                now[count] = s
                count += 1
        for _ in range(most):
            reached = 0
            for i in range(count):
                s = now[i]
                weight = here[s]
                here[s] = 0
                port = lft[row, s]
                if port == none or port == 0:
                    continue
                links[s * width + port] += weight
                n = peer[s, port]
                if n >= 0:
                    if after[n] == 0:
                        following[reached] = n
                        reached += 1
                    after[n] += weight
            count = reached
            if count == 0:
                break
            for i in range(count):
                s = following[i]
                now[i] = s
                here[s] = after[s]
                after[s] = 0
        for i in range(count):
            here[now[i]] = 0
