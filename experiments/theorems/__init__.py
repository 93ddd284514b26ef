"""The paper's statements, checked on graphs: one file per statement."""
