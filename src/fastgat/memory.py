"""To be removed: `fastgat.machine` has it."""

from fastgat.machine import forget_peak as forget_peak
from fastgat.machine import peak_bytes as peak_bytes
from fastgat.machine import resident_bytes as resident_bytes
