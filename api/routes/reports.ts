import { alarmInstancesAnswer, alarmInstancesInput } from '../../schema/api/alarm-instances.ts'
import { productionReportInput, reportAnswer } from '../../schema/api/production-report.ts'
import { withAddress } from '../files/address.ts'
import { anyOf } from '../auth/scopes.ts'
import { route, uncheckedBody } from '../http/route.ts'

const postProduction = route({
  method: 'POST',
  path: '/reports/production',
  summary: 'Production report: parts, times and rates',
  description: 'The header `Takt-Lag-Ms` tells how far the processors are behind.',
  scope: anyOf('reporting'),
  body: uncheckedBody(productionReportInput),
  output: reportAnswer,
  async handle({ caller, body, baseUrl, signal, setHeader }, { production }) {
    const { body: answer, lagMs } = await production({ companyId: caller().company.id, body, signal })
    setHeader('Takt-Lag-Ms', String(Math.round(lagMs)))
    return withAddress(answer, baseUrl)
  },
})

const postAlarmInstances = route({
  method: 'POST',
  path: '/reports/alarm/instances',
  summary: 'Alarm instances, a page at a time',
  description:
    'From an instant on, or from an `alarmId` on: paging by `startId` comes to every instance exactly once, also while new ones arrive.',
  scope: anyOf('reporting'),
  body: uncheckedBody(alarmInstancesInput),
  output: alarmInstancesAnswer,
  async handle({ caller, body, baseUrl, signal, setHeader }, { alarmInstances }) {
    const { body: answer, lagMs } = await alarmInstances({ companyId: caller().company.id, body, signal })
    setHeader('Takt-Lag-Ms', String(Math.round(lagMs)))
    return withAddress(answer, baseUrl)
  },
})

export const reportRoutes = [postProduction, postAlarmInstances]
