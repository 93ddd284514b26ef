"""Speed, memory and accuracy of the library, beside its peers: one file per benchmark."""
