terraform {
  required_version = ">= 1.5"

  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = "~> 5.0"
    }
  }
}

provider "azurerm" {
  subscription_id = var.subscription_id

  features {}
}

variable "subscription_id" {
  description = "Azure subscription."
  type        = string
  default     = "00000000-0000-0000-0000-000000000000"
}

variable "ssh_public_key" {
  description = "Key of the admin user."
  type        = string
  default     = "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 user@host"
}

resource "azurerm_resource_group" "this" {
  name     = "ibgen-ndv5"
  location = "eastus"
}

resource "azurerm_virtual_network" "this" {
  name                = "ibgen-vnet"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name
  address_space       = ["10.30.0.0/16"]
}

resource "azurerm_subnet" "compute" {
  name                 = "compute"
  resource_group_name  = azurerm_resource_group.this.name
  virtual_network_name = azurerm_virtual_network.this.name
  address_prefixes     = ["10.30.0.0/20"]
}

resource "azurerm_network_security_group" "compute" {
  name                = "compute"
  location            = azurerm_resource_group.this.location
  resource_group_name = azurerm_resource_group.this.name

  security_rule {
    name                       = "intra-cluster"
    priority                   = 100
    direction                  = "Inbound"
    access                     = "Allow"
    protocol                   = "*"
    source_port_range          = "*"
    destination_port_range     = "*"
    source_address_prefix      = "10.30.0.0/20"
    destination_address_prefix = "10.30.0.0/20"
  }
}

resource "azurerm_subnet_network_security_group_association" "compute" {
  subnet_id                 = azurerm_subnet.compute.id
  network_security_group_id = azurerm_network_security_group.compute.id
}

resource "azurerm_linux_virtual_machine_scale_set" "gpu" {
  name                        = "gpu"
  resource_group_name         = azurerm_resource_group.this.name
  location                    = azurerm_resource_group.this.location
  sku                         = "Standard_ND96isr_H100_v5"
  instances                   = 4
  admin_username              = "hpcadmin"
  single_placement_group      = true
  overprovision               = false
  platform_fault_domain_count = 1
  upgrade_mode                = "Manual"

  admin_ssh_key {
    username   = "hpcadmin"
    public_key = var.ssh_public_key
  }

  source_image_reference {
    publisher = "microsoft-dsvm"
    offer     = "ubuntu-hpc"
    sku       = "2204"
    version   = "22.04.2024102301"
  }

  os_disk {
    caching              = "ReadOnly"
    storage_account_type = "Premium_LRS"
    disk_size_gb         = 256
  }

  network_interface {
    name                           = "eth0"
    primary                        = true
    accelerated_networking_enabled = true

    ip_configuration {
      name      = "internal"
      primary   = true
      subnet_id = azurerm_subnet.compute.id
    }
  }

  lifecycle {
    ignore_changes = [instances]
  }
}

output "vmss_id" {
  description = "Scale set of the InfiniBand nodes."
  value       = azurerm_linux_virtual_machine_scale_set.gpu.id
}
