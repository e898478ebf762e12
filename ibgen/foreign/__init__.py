"""Files that people already have, read as the programs themselves read them. Takes texts, gives findings at the exact line."""

from .opensm_conf import Conf, read_conf
from .opensm_folder import lint_folder
from .opensm_lists import lint_guids, lint_qos_policy
from .opensm_partitions import lint_partitions

__all__ = ["Conf", "lint_folder", "lint_guids", "lint_partitions", "lint_qos_policy", "read_conf"]
