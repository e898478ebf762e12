terraform {
  required_version = ">= 1.5"

  required_providers {
    oci = {
      source  = "oracle/oci"
      version = ">= 7.0, < 9.0"
    }
  }
}

provider "oci" {
  region = "us-ashburn-1"
}

variable "compartment_id" {
  description = "Compartment of the cluster."
  type        = string
  default     = "ocid1.compartment.oc1..example"
}

variable "image_id" {
  description = "Image with the OFED driver and the RDMA plugins."
  type        = string
  default     = "ocid1.image.oc1.iad.example"
}

data "oci_identity_availability_domains" "this" {
  compartment_id = var.compartment_id
}

resource "oci_core_vcn" "this" {
  compartment_id = var.compartment_id
  cidr_blocks    = ["172.16.0.0/16"]
  display_name   = "ibgen"
}

resource "oci_core_subnet" "compute" {
  compartment_id             = var.compartment_id
  vcn_id                     = oci_core_vcn.this.id
  cidr_block                 = "172.16.0.0/20"
  prohibit_public_ip_on_vnic = true
}

resource "oci_core_instance_configuration" "gpu" {
  compartment_id = var.compartment_id
  display_name   = "ibgen-h100"

  instance_details {
    instance_type = "compute"

    launch_details {
      compartment_id = var.compartment_id
      shape          = "BM.GPU.H100.8"

      source_details {
        source_type             = "image"
        image_id                = var.image_id
        boot_volume_size_in_gbs = 512
      }

      create_vnic_details {
        subnet_id        = oci_core_subnet.compute.id
        assign_public_ip = false
      }

      agent_config {
        plugins_config {
          name          = "Compute HPC RDMA Authentication"
          desired_state = "ENABLED"
        }

        plugins_config {
          name          = "Compute HPC RDMA Auto-Configuration"
          desired_state = "ENABLED"
        }

        plugins_config {
          name          = "Compute RDMA GPU Monitoring"
          desired_state = "ENABLED"
        }
      }
    }
  }

  lifecycle {
    create_before_destroy = true
  }
}

resource "oci_core_cluster_network" "gpu" {
  compartment_id = var.compartment_id
  display_name   = "ibgen-h100"

  instance_pools {
    instance_configuration_id = oci_core_instance_configuration.gpu.id
    size                      = 4
    display_name              = "ibgen-h100"
  }

  placement_configuration {
    availability_domain = data.oci_identity_availability_domains.this.availability_domains[0].name
    primary_subnet_id   = oci_core_subnet.compute.id
  }
}
