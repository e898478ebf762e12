"""Check Terraform with the real terraform binary and real provider schemas, offline.

`mirror.offline_environment(folder)` is what tests use: the environment under which plain `terraform init`, `validate`,
`plan` and `apply` work in any folder without registry, credentials or network. `referee.examine` runs the whole examination.
"""
