import { serviceAddress } from '../../ui/commands.ts'

/** Ways in which samples come in. */
export const ways = ['http', 'kafka', 'shdr'] as const
export type Way = (typeof ways)[number]

/** A command that sends a first sample of a machine. `key`: null if the command reads `TAKT_KEY`. */
export function commandOf(
  way: Way,
  machine: { readonly id: string; readonly name: string },
  key: string | null,
): string {
  const shownKey = key ?? '$TAKT_KEY'
  const sample = `{"machineId":"${machine.id}","timestamp":"'$(date -u +%FT%TZ)'","key":"execution","type":"EXECUTION","value":"ACTIVE"}`
  switch (way) {
    case 'http':
      return [
        `curl -s ${serviceAddress}/ingest/samples \\`,
        `  -H "Authorization: Bearer ${shownKey}" -H 'Content-Type: application/json' \\`,
        `  -d '${sample}'`,
      ].join('\n')
    case 'kafka':
      return [
        `echo '${sample}' \\`,
        '  | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic samples.v1',
      ].join('\n')
    case 'shdr':
      return `npm run replay -- --url ${serviceAddress} --devices Devices.xml --machine '${machine.name.replaceAll("'", "'\\''")}' log.shdr.gz`
  }
}
