import { rebuildStatus } from '../../processors/partitions/rebuild-status.ts'
import { type RebuildResponse, rebuildResponse, recomputesResponse } from '../../schema/requests/recomputes.ts'
import type { RebuildProgress } from '../../schema/topics.ts'
import { instantText } from '../../shared/time/instant.ts'
import { anyOf } from '../auth/scopes.ts'
import { route } from '../http/route.ts'
import { submit } from '../commands/submit.ts'
import type { CommandsPort, RecordsPort } from '../ports/ports.ts'

interface RecomputingPort {
  /** Recomputations in progress: machine-hours, and rebuilds by partition; ms are UTC. */
  readonly recomputing: () => {
    readonly dirtyHours: number
    readonly sinceMs: number | null
    readonly rebuilds: ReadonlyMap<number, readonly RebuildProgress[]>
  }
}

const maxShown = 100

const getRecomputes = route('GET /recomputes', 'getRecomputeProgress', {
  summary: 'Progress of recomputations',
  description:
    'In machine-hours of the whole installation: those for which reports wait (`dirtyHours`), and the latest rebuilds. Reports do not wait for a rebuild.',
  scope: anyOf('machine.read'),
  output: recomputesResponse,
  handle({ caller }, { records, recomputing }: RecordsPort & RecomputingPort) {
    const { dirtyHours, sinceMs, rebuilds: progress } = recomputing()
    const rebuilds = ['', caller().company.id]
      .flatMap(companyId => records.list('rebuild', companyId))
      .sort((a, b) => (a.requestedAt < b.requestedAt ? 1 : -1))
    return {
      dirtyHours,
      since: sinceMs === null ? null : instantText(sinceMs),
      rebuilds: rebuilds.slice(0, maxShown).map(rebuild => rebuildStatus(rebuild, progress)),
    }
  },
})

const postRecompute = route('POST /recomputes', 'startRecompute', {
  summary: 'Recompute all data of the company from its samples and records',
  description:
    'Returns immediately; `GET /recomputes` shows the progress. Ids stay, reports stay correct meanwhile, and new samples have priority. If a rebuild is in progress, the response is that rebuild.',
  scope: anyOf('machine'),
  status: 202,
  keyed: {},
  output: rebuildResponse,
  async handle({ caller }, deps: CommandsPort & RecomputingPort): Promise<RebuildResponse> {
    const rebuild = await submit(deps, caller(), 'rebuild.start', {})
    return rebuildStatus(rebuild, deps.recomputing().rebuilds)
  },
})

export const recomputeRoutes = [getRecomputes, postRecompute]
