"""What FastGAT is compared with: one file per network, and all of them by name."""
