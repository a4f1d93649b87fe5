import { serviceUrl } from '../router/address.ts'

/** Address of the service without a slash at its end, as commands have it. */
export const serviceAddress = serviceUrl.href.replace(/\/$/, '')

/** A first report, for a shell. `key`: as the shell sees it between double quotes. */
export function reportCommand(date: string, key: string): string {
  const body = { startDay: date, endDay: date, data: ['oee'], groupBy: ['machine'] }
  return [
    `curl -s ${serviceAddress}/reports/production \\`,
    `  -H "Authorization: Bearer ${key}" -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n')
}
