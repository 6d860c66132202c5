"""Outputs of system tools in the shape that the tools document, written for the tests; no machine printed them."""

NVIDIA_SMI = """\
Tue Sep  1 11:58:53 2026
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.95                 Driver Version: 580.95         CUDA Version: 13.0     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA GeForce RTX 3090        Off |   00000000:01:00.0  On |                  N/A |
|  0%   40C    P8             21W /  350W |     578MiB /  24576MiB |      0%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+
|   1  NVIDIA GeForce RTX 3090        Off |   00000000:21:00.0 Off |                  N/A |
|  0%   32C    P8              6W /  350W |       4MiB /  24576MiB |      0%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+

+-----------------------------------------------------------------------------------------+
| Processes:                                                                              |
|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |
|        ID   ID                                                               Usage      |
|=========================================================================================|
|    0   N/A  N/A            2034      G   /usr/lib/xorg/Xorg                      560MiB |
+-----------------------------------------------------------------------------------------+
"""

# a driver of 2020, which cuts names
NVIDIA_SMI_CUT = """\
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 450.80.02    Driver Version: 450.80.02    CUDA Version: 11.0     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|                               |                      |               MIG M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  Off  | 00000000:00:1E.0 Off |                    0 |
| N/A   35C    P0    25W / 300W |      0MiB / 32510MiB |      0%      Default |
|                               |                      |                  N/A |
+-------------------------------+----------------------+----------------------+
"""

NVIDIA_SMI_WINDOWS = """\
PS C:\\Users\\me> nvidia-smi
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 591.10                 Driver Version: 591.10         CUDA Version: 13.1     |
+-----------------------------------------+------------------------+----------------------+
| GPU  Name                  Driver-Model | Bus-Id          Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |
|                                         |                        |               MIG M. |
|=========================================+========================+======================|
|   0  NVIDIA GeForce RTX 4090      WDDM  |   00000000:01:00.0  On |                  Off |
|  0%   41C    P8             14W /  450W |    1563MiB /  24564MiB |      2%      Default |
|                                         |                        |                  N/A |
+-----------------------------------------+------------------------+----------------------+
"""

NVIDIA_LIST = """\
GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77)
  MIG 3g.40gb     Device  0: (UUID: MIG-86c0b42c-9d11-5d41-b0c7-06a1b1a2b3c4)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-6d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a78)
"""

NVIDIA_QUERY = """\

==============NVSMI LOG==============

Timestamp                                 : Mon Nov 30 10:00:00 2026
Driver Version                            : 580.95
CUDA Version                              : 13.0

Attached GPUs                             : 1
GPU 00000000:41:00.0
    Product Name                          : NVIDIA RTX A6000
    Product Brand                         : NVIDIA RTX
    MIG Mode
        Current                           : N/A
        Pending                           : N/A
    Driver Model
        Current                           : N/A
    GPU UUID                              : GPU-9d488d14-3f22-4d8f-9b0a-a1b2c3d4e5f6
    PCI
        Bus                               : 0x41
        GPU Link Info
            PCIe Generation
                Max                       : 4
                Current                   : 1
                Device Max                : 4
            Link Width
                Max                       : 16x
                Current                   : 8x
    FB Memory Usage
        Total                             : 49140 MiB
        Reserved                          : 600 MiB
        Used                              : 20000 MiB
        Free                              : 28540 MiB
    BAR1 Memory Usage
        Total                             : 65536 MiB
        Used                              : 5 MiB
        Free                              : 65531 MiB
"""

NVIDIA_CSV = """\
index, name, memory.total [MiB], memory.free [MiB], compute_cap, pcie.link.gen.max, pcie.link.width.current
0, NVIDIA GeForce RTX 5090, 32607 MiB, 31200 MiB, 12.0, 5, 16
1, NVIDIA GeForce RTX 5090, 32607 MiB, 32100 MiB, 12.0, 5, 8
"""

TOPO_BRIDGES = """\
\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\x1b[0m
GPU0\t X \tNV4\tPHB\tSYS\t0-15\t0\t\tN/A
GPU1\tNV4\t X \tPHB\tSYS\t0-15\t0\t\tN/A
GPU2\tPHB\tPHB\t X \tNV4\t16-31\t1\t\tN/A
GPU3\tSYS\tSYS\tNV4\t X \t16-31\t1\t\tN/A

Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  NV#  = Connection traversing a bonded set of # NVLinks
"""


def topo(cards: int, kind: str) -> str:
    """The matrix of cards that are all connected alike."""
    names = [f"GPU{n}" for n in range(cards)]
    rows = ["        " + "    ".join(names) + "    CPU Affinity    NUMA Affinity"]
    for name in names:
        rows.append(f"{name}    " + "    ".join(" X " if other == name else kind for other in names) + "    0-47    0")
    return "\n".join(rows) + "\n"


ROCM_SMI = """\
========================================= ROCm System Management Interface =========================================
=================================================== Concise Info ===================================================
Device  Node  IDs              Temp    Power  Partitions          SCLK     MCLK    Fan  Perf  PwrCap  VRAM%  GPU%
              (DID,     GUID)  (Edge)  (Avg)  (Mem, Compute, ID)
====================================================================================================================
0       1     0x744c,   51948  40.0°C  16.0W  N/A, N/A, 0         42Mhz    96Mhz   0%   auto  327.0W  2%     0%
====================================================================================================================
=============================================== End of ROCm SMI Log ================================================
"""

ROCM_MEMORY = """\
============================ ROCm System Management Interface ============================
================================== Memory Usage (Bytes) ==================================
GPU[0]\t\t: VRAM Total Memory (B): 25753026560
GPU[0]\t\t: VRAM Total Used Memory (B): 537395200
==========================================================================================
================================== End of ROCm SMI Log ===================================
"""

AMD_SMI = """\
+------------------------------------------------------------------------------+
| AMD-SMI 26.0.2+39589fda      amdgpu version: 6.14.14 ROCm version: 7.0.2     |
| Platform: Linux Baremetal                                                    |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:05:00.0    AMD Instinct MI300X | 0 %      40 °C   0           142/750 W |
|   0       0       7        DPX/NPS1 | 0 %        N/A           283/196592 MB |
|-------------------------------------+----------------------------------------|
| 0000:05:00.1    AMD Instinct MI300X | N/A        N/A   0                 N/A |
|   1       1     N/A             N/A | N/A        N/A            492/98296 MB |
|-------------------------------------+----------------------------------------|
| 0000:26:00.0    AMD Instinct MI300X | 0 %      41 °C   0           141/750 W |
|   2       2       6        SPX/NPS1 | 0 %        N/A           283/196592 MB |
+-------------------------------------+----------------------------------------+
"""

AMD_STATIC = """\
GPU: 0
    ASIC:
        MARKET_NAME: AMD Instinct MI350X
        VENDOR_ID: 0x1002
        TARGET_GRAPHICS_VERSION: gfx950
    BUS:
        BDF: 0000:05:00.0
        MAX_PCIE_WIDTH: 16
        MAX_PCIE_SPEED: 32 GT/s
        PCIE_INTERFACE_VERSION: Gen 5
    VRAM:
        TYPE: HBM
        SIZE: 294896 MB
"""

MAC = """\
Hardware:

    Hardware Overview:

      Model Name: MacBook Pro
      Model Identifier: Mac16,6
      Chip: Apple M4 Max
      Total Number of Cores: 14 (10 performance and 4 efficiency)
      Memory: 36 GB
      System Firmware Version: 11881.1.1

Graphics/Displays:

    Apple M4 Max:

      Chipset Model: Apple M4 Max
      Type: GPU
      Bus: Built-In
      Total Number of Cores: 32
      Vendor: Apple (0x106b)
      Metal Support: Metal 3
      Displays:
        Color LCD:
          Display Type: Built-in Liquid Retina XDR Display
"""

LSCPU = """\
Architecture:             x86_64
  CPU op-mode(s):         32-bit, 64-bit
  Address sizes:          52 bits physical, 57 bits virtual
  Byte Order:             Little Endian
CPU(s):                   112
  On-line CPU(s) list:    0-111
Vendor ID:                GenuineIntel
  Model name:             Intel(R) Xeon(R) Platinum 8480+
    CPU family:           6
    Model:                143
    Thread(s) per core:   1
    Core(s) per socket:   56
    Socket(s):            2
    Flags:                fpu avx2 avx512f amx_bf16 amx_tile amx_int8
NUMA:
  NUMA node(s):           2
  NUMA node0 CPU(s):      0-55
  NUMA node1 CPU(s):      56-111
Vulnerabilities:
  Meltdown:               Not affected
"""

FREE = """\
$ free -m
               total        used        free      shared  buff/cache   available
Mem:          128732       10215       90211         311       28306      117342
Swap:           8191           0        8191
"""

FREE_HUMAN = """\
               total        used        free      shared  buff/cache   available
Mem:            62Gi        11Gi        41Gi       120Mi        10Gi        50Gi
Swap:          8.0Gi          0B       8.0Gi
"""

LSPCI = """\
00:00.0 Host bridge: Advanced Micro Devices, Inc. [AMD] Starship/Matisse Root Complex
00:1f.3 Audio device: Intel Corporation Device 7ad0 (rev 11)
05:00.0 VGA compatible controller [0300]: NVIDIA Corporation GA102 [GeForce RTX 3090] [10de:2204] (rev a1)
\tSubsystem: Gigabyte Technology Co., Ltd GA102 [GeForce RTX 3090] [1458:4043]
\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x16, ASPM L0s L1
\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x4 (downgraded)
05:00.1 Audio device [0403]: NVIDIA Corporation GA102 High Definition Audio Controller [10de:1aef] (rev a1)
0a:00.0 VGA compatible controller: Intel Corporation DG2 [Arc A770] (rev 08)
0b:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family (rev 41)
"""

CIM = """\
PS C:\\> Get-CimInstance Win32_VideoController | Format-List Name, AdapterRAM

Name       : NVIDIA GeForce RTX 4070 Ti SUPER
AdapterRAM : 4293918720

Name       : Intel(R) UHD Graphics 770
AdapterRAM : 134217728

PS C:\\> Get-CimInstance Win32_ComputerSystem | Select-Object Model, TotalPhysicalMemory

Model             TotalPhysicalMemory
-----             -------------------
MS-7D25                   68447375360

PS C:\\> Get-CimInstance Win32_Processor | Select-Object Name, NumberOfCores

Name                              NumberOfCores
----                              -------------
13th Gen Intel(R) Core(TM) i7-13700K         16
"""

SYSTEMINFO = """\
Host Name:                 DESKTOP
OS Name:                   Microsoft Windows 11 Pro
System Type:               x64-based PC
Processor(s):              1 Processor(s) Installed.
                           [01]: Intel64 Family 6 Model 183 Stepping 1 GenuineIntel ~3400 Mhz
Total Physical Memory:     65,277 MB
Available Physical Memory: 50,123 MB
"""

SYSTEMINFO_RU = """\
Имя узла:                         DESKTOP
Название ОС:                      Майкрософт Windows 11 Pro
Тип системы:                      x64-based PC
Полный объем физической памяти:   32 605 МБ
Доступная физическая память:      20 100 МБ
"""

ALL = {
    name: text for name, text in list(globals().items()) if name.isupper() and name != "ALL" and isinstance(text, str)
}
