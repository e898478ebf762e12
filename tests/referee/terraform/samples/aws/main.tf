terraform {
  required_version = ">= 1.5"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.0, < 7.0"
    }
  }

  backend "s3" {}
}

provider "aws" {
  region = var.region
}

variable "region" {
  description = "AWS region of the capacity block."
  type        = string
  default     = "us-east-1"
}

variable "capacity_reservation_id" {
  description = "Capacity block the instances start in."
  type        = string
  default     = "cr-0123456789abcdef0"
}

variable "image_id" {
  description = "Image of the nodes, pinned: a newer one would replace the fleet."
  type        = string
  default     = "ami-0123456789abcdef0"
}

locals {
  nodes = toset(["gpu-000", "gpu-001"])
  name  = "ibgen-p5"

  # p5: ENA is the primary interface, every one of the 32 cards carries one EFA-only interface.
  interfaces = concat(
    [
      { card = 0, index = 0, type = "interface" },
      { card = 0, index = 1, type = "efa-only" },
    ],
    [for card in range(1, 32) : { card = card, index = 0, type = "efa-only" }],
  )
}

resource "aws_vpc" "this" {
  cidr_block           = "10.20.0.0/16"
  enable_dns_hostnames = true
  tags                 = { Name = local.name }
}

resource "aws_subnet" "compute" {
  vpc_id            = aws_vpc.this.id
  cidr_block        = "10.20.0.0/18"
  availability_zone = "${var.region}a"
  tags              = { Name = "${local.name}-compute" }
}

resource "aws_security_group" "efa" {
  name        = "${local.name}-efa"
  description = "EFA: all traffic to and from itself"
  vpc_id      = aws_vpc.this.id
}

resource "aws_vpc_security_group_ingress_rule" "efa_self" {
  description                  = "All traffic from members of the same group"
  security_group_id            = aws_security_group.efa.id
  referenced_security_group_id = aws_security_group.efa.id
  ip_protocol                  = "-1"
}

resource "aws_vpc_security_group_egress_rule" "efa_self" {
  description                  = "All traffic to members of the same group"
  security_group_id            = aws_security_group.efa.id
  referenced_security_group_id = aws_security_group.efa.id
  ip_protocol                  = "-1"
}

resource "aws_placement_group" "this" {
  name     = local.name
  strategy = "cluster"
}

resource "aws_launch_template" "node" {
  name_prefix            = "${local.name}-"
  image_id               = var.image_id
  instance_type          = "p5.48xlarge"
  update_default_version = true

  instance_market_options {
    market_type = "capacity-block"
  }

  capacity_reservation_specification {
    capacity_reservation_target {
      capacity_reservation_id = var.capacity_reservation_id
    }
  }

  placement {
    group_name = aws_placement_group.this.name
  }

  metadata_options {
    http_endpoint = "enabled"
    http_tokens   = "required"
  }

  block_device_mappings {
    device_name = "/dev/sda1"

    ebs {
      volume_size = 500
      volume_type = "gp3"
      encrypted   = true
    }
  }

  dynamic "network_interfaces" {
    for_each = local.interfaces

    content {
      network_card_index          = network_interfaces.value.card
      device_index                = network_interfaces.value.index
      interface_type              = network_interfaces.value.type
      subnet_id                   = aws_subnet.compute.id
      security_groups             = [aws_security_group.efa.id]
      associate_public_ip_address = false
      delete_on_termination       = true
    }
  }
}

resource "aws_instance" "node" {
  for_each = local.nodes

  launch_template {
    id      = aws_launch_template.node.id
    version = aws_launch_template.node.latest_version
  }

  tags = { Name = each.key }
}

output "private_ips" {
  description = "Node name to private address."
  value       = { for name, node in aws_instance.node : name => node.private_ip }
}
