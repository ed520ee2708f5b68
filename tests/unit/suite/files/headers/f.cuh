// A folder of good/include.yaml.
