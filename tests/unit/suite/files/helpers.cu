// Linked by good/link.yaml.
