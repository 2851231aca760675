import { BlockList, isIP } from 'node:net'

/** Whether an address is one of a list of addresses and networks (`10.0.0.0/8`). */
export function addressMatcher(list: readonly string[]): (address: string) => boolean {
  const known = new BlockList()
  for (const entry of list) {
    const [address = '', bits] = entry.split('/')
    if (bits === undefined) known.addAddress(address, familyOf(address))
    else known.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => {
    // An IPv4 client of a server that listens on `::`.
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
    return isIP(plain) !== 0 && known.check(plain, familyOf(plain))
  }
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
