import { isNetwork } from './bound-settings.ts'
import { readList, readOneOf, setting, type Settings } from './setting.ts'

function parseNetworks(text: string): readonly string[] {
  const networks = readList(text)
  if (networks.every(each => isNetwork(each) || isHostName(each))) return networks
  throw new Error('expected a list of addresses, subnets such as 10.0.0.0/8, or names of hosts')
}

/** Whether a text is the name of a host. Its last label has a letter, which excludes addresses such as 10.0.0.300. */
function isHostName(text: string): boolean {
  const labels = text.replace(/\.$/, '').split('.')
  const areValid = labels.every(label => /^[a-z0-9-]{1,63}$/i.test(label) && !/^-|-$/.test(label))
  return areValid && text.length <= 253 && /[a-z]/i.test(labels.at(-1) ?? '')
}

/** Settings of connectors. */
export const connectSettings = {
  TAKT_CONNECT_SECRET_FILE: setting(
    'File with the secret that encrypts the passwords and keys of connectors, at least 32 bytes, the same for every process; empty: connectors have no passwords and keys.',
  ).optional(),
  TAKT_CONNECT_SECRETS: setting(
    'Folder with files that contain passwords and keys of connectors, in a folder for each company, named by its id; empty: connectors name no files.',
  ).optional(),
  TAKT_CONNECT_ALLOW: setting(
    'Networks of connectors: addresses, subnets or names of hosts, separated by commas. With one company, loopback and private networks (10/8, 172.16/12, 192.168/16, fc00::/7) are also allowed.',
  ).parsed('', parseNetworks),
  TAKT_CONNECT_BUFFER: setting(
    'Limit of the samples of all connectors on disk that the log has not accepted yet, in bytes; kinds shdr and mqtt.',
  ).int(1_073_741_824, 0, 1_099_511_627_776),
  TAKT_CONNECT_BUFFER_EACH: setting(
    'Limit of the samples of one connector on disk, in bytes. Beyond it, an MQTT connector does not acknowledge messages, and an SHDR connector drops the newest samples.',
  ).int(67_108_864, 0, 1_099_511_627_776),
  TAKT_METRICS_CONNECTORS: setting(
    '1: `GET /metrics` has the figures of each connector; otherwise only their sums by kind.',
  ).parsed('0', readOneOf('0', '1')),
} satisfies Settings
