import { isNetworkOrAddress } from '../../shared/webhook-addresses.ts'
import { readList, setting, type Settings } from './setting.ts'

function parseAddresses(text: string): readonly string[] {
  const addresses = readList(text)
  if (addresses.every(each => isNetworkOrAddress(each) || /^[A-Za-z0-9._-]{1,253}$/.test(each))) return addresses
  throw new Error('expected a list of public, subnets such as 10.0.0.0/8, addresses, and names of hosts')
}

/** Settings of alerts. */
export const alertSettings = {
  TAKT_WEBHOOK_ALLOW: setting(
    'Addresses of webhooks, separated by commas: `public` for all public ones, subnets, addresses, host names. Loopback, link-local and metadata addresses need a subnet inside their network.',
  ).parsed('public', parseAddresses),
  TAKT_ALERT_LATE_SECONDS: setting(
    'How long ago a stop or alarm that late samples reveal may have ended for an incident to open.',
  ).int(600, 0, 86_400),
} satisfies Settings
