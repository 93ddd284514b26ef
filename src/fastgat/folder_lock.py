"""To be removed: `fastgat.files` has it."""

from fastgat.files import hold_folder as hold_folder
