"""The paper, reproduced by command."""
