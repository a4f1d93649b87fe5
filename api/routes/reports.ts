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

export const reportRoutes = [postProduction]
