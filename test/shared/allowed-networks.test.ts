import { expect } from 'chai'
import { AllowedNetworks } from '../../shared/allowed-networks.ts'

describe('allowed networks', () => {
  const allowed = (named: readonly string[], isOnlyCompany: boolean, addresses: readonly string[]) =>
    addresses.filter(address => new AllowedNetworks(named).allows(address, isOnlyCompany))
  const local = ['127.0.0.1', '::1', '10.1.2.3', '172.31.0.1', '192.168.1.1', 'fd00::1', '::ffff:10.0.0.1']
  const other = [
    '8.8.8.8',
    '172.32.0.1',
    '169.254.169.254',
    'fe80::1',
    '0.0.0.0',
    '::',
    '2001:db8::1',
    'fd00:ec2::254',
    '::ffff:8.8.8.8',
  ]

  it('With one company, loopback and private networks are allowed, and no link-local or public address', () => {
    expect(allowed([], true, [...local, ...other])).to.deep.equal(local)
  })

  it('With several companies, only named networks and addresses are allowed', () => {
    expect(allowed([], false, [...local, ...other])).to.deep.equal([])
    const named = ['10.1.0.0/16', '169.254.169.254', 'fe80::/10', '2001:db8::1']
    expect(allowed(named, false, [...local, ...other])).to.deep.equal([
      '10.1.2.3',
      '169.254.169.254',
      'fe80::1',
      '2001:db8::1',
    ])
  })
})
