import type { SubmitOptions } from '../../processors/registrar/client.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import { int, named, object, type Of } from '../../schema/types.ts'
import { allOf, anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'

/** Answer of `GET /demo`. `machines`: those of the simulated plant that are in service. */
const demoState = named('SimulatedPlant', object({ machines: int }))
const leftDemo = named('LeftPlant', object({ decommissioned: int, deleted: int }))

interface DemoPort {
  /** The simulated plant of a company. */
  readonly demo: {
    machines(company: CompanyRecord): number
    leave(company: CompanyRecord, as: Omit<SubmitOptions, 'companyId'>): Promise<Of<typeof leftDemo>>
  }
}

const getDemo = route({
  method: 'GET',
  path: '/demo',
  operationId: 'getDemo',
  summary: 'Whether there is a simulated plant',
  scope: anyOf('machine.read'),
  output: demoState,
  handle: ({ caller }, { demo }: DemoPort) => ({ machines: demo.machines(caller().company) }),
})

const leaveDemo = route({
  method: 'POST',
  path: '/demo/leave',
  operationId: 'leaveDemo',
  summary: 'Leave the simulated plant, as `npm run leave-demo` does',
  description:
    'Decommissions its machines and deletes what they alone use. What other machines use stays, and so do users and keys. The plant does not start again.',
  // Each kind of record that it may delete asks for its scope.
  scope: allOf('machine', 'annotation', 'part-adjustment', 'operator', 'erp', 'reporting'),
  output: leftDemo,
  handle({ caller }, { demo }: DemoPort) {
    const { kind, id, name, company } = caller()
    return demo.leave(company, { actor: id, by: { kind, name } })
  },
})

export const demoRoutes = [getDemo, leaveDemo]
