variable "name" { type = string }
variable "machine_type" {
  type = string
}
variable "topology" {
  type    = string
  default = "2x2"
}
variable "hosts" { type = number }
