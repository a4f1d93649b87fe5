import { expect } from 'chai'
import { WebhookAddresses } from '../../shared/webhook-addresses.ts'

describe('addresses of webhooks', () => {
  const allowed = (named: readonly string[], addresses: readonly string[], hostname?: string) =>
    addresses.filter(address => new WebhookAddresses(named).allows(address, hostname))
  const open = ['8.8.8.8', '203.0.114.1', '2606:4700::1', '::ffff:8.8.8.8']
  const privately = ['10.1.2.3', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1', '::ffff:10.0.0.1']
  const reserved = ['192.0.2.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', 'ff02::1', '2001:db8::1']
  const embedded = ['64:ff9b::7f00:1', '64:ff9b:1::7f00:1', '2002:7f00:1::', '::ffff:0:127.0.0.1', '2001::1']
  const inner = [
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '169.254.169.254',
    'fe80::1',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
  ]

  it('Public addresses are those of the internet only', () => {
    const all = [...open, ...privately, ...reserved, ...embedded, ...inner]
    expect(allowed(['public'], all)).to.deep.equal(open)
  })

  it('Named networks replace the public addresses', () => {
    expect(allowed(['10.0.0.0/8'], [...open, ...privately])).to.deep.equal(['10.1.2.3', '::ffff:10.0.0.1'])
    expect(allowed([], [...open, ...privately, ...inner])).to.deep.equal([])
  })

  it('Loopback, link-local addresses and metadata services are allowed by networks that name them only', () => {
    expect(allowed(['0.0.0.0/0', '::/0', 'fc00::/7', 'public'], inner)).to.deep.equal([])
    expect(allowed(['127.0.0.0/8', '169.254.169.254', '::1'], inner)).to.deep.equal([
      '127.0.0.1',
      '127.8.8.8',
      '::1',
      '::ffff:127.0.0.1',
      '::127.0.0.1',
      '169.254.169.254',
    ])
  })

  it('The word for public addresses is not the name of a host', () => {
    for (const word of ['public', 'PUBLIC']) expect(allowed([word], [...open, ...inner], 'public')).to.deep.equal(open)
  })

  it('A named host is allowed at any address, under its name only', () => {
    expect(allowed(['Hooks.example'], inner, 'hooks.EXAMPLE')).to.deep.equal(inner)
    expect(allowed(['hooks.example'], [...open, ...inner], 'other.example')).to.deep.equal([])
  })
})
