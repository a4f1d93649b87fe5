import type { SubmitOptions } from '../../processors/registrar/client.ts'
import type { CompanyRecord } from '../../schema/records/company.ts'
import { described, fraction, int, named, object, type Infer } from '../../schema/types.ts'
import { allOf, anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'

/** Response of `GET /demo`. `machines`: those of the simulated plant that are in service. */
const demoState = named(
  'SimulatedPlant',
  object({
    machines: int,
    complete: described(fraction, 'Share of the simulated history that was generated; 1 without a simulated plant'),
  }),
)
const leftDemo = named('LeftPlant', object({ decommissioned: int, deleted: int }))

/** A simulated history that is being generated. */
export interface IncompleteHistory {
  /** Its start, UTC ms. It is generated up to now. */
  readonly fromMs: number
  readonly share: number
}

export interface DemoPort {
  readonly demo: {
    machines(company: CompanyRecord): number
    /** The history while it is incomplete; null: complete, or there is none. */
    history(company: CompanyRecord): IncompleteHistory | null
    leave(company: CompanyRecord, as: Omit<SubmitOptions, 'companyId'>): Promise<Infer<typeof leftDemo>>
  }
}

const getDemo = route('GET /demo', 'getDemo', {
  summary: 'Whether there is a simulated plant',
  scope: anyOf('machine.read', 'reporting'),
  output: demoState,
  handle({ caller }, { demo }: DemoPort) {
    const { company } = caller()
    return { machines: demo.machines(company), complete: demo.history(company)?.share ?? 1 }
  },
})

const leaveDemo = route('POST /demo/leave', 'leaveDemo', {
  summary: 'Remove the simulated plant, as `npm run leave-demo` does',
  description:
    'Decommissions its machines and deletes the records that only they use. Records of other machines, users and keys stay. The plant does not start again.',
  // Each kind of record that it may delete requires its scope.
  scope: allOf('machine', 'annotation', 'part-adjustment', 'operator', 'erp', 'reporting'),
  output: leftDemo,
  handle({ caller }, { demo }: DemoPort) {
    const { kind, id, name, company } = caller()
    return demo.leave(company, { actor: id, by: { kind, name } })
  },
})

export const demoRoutes = [getDemo, leaveDemo]
