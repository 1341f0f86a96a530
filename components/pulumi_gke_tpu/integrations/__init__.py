"""The former home of the policy pack, which is now the feature ``policy_pack``."""
