import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import { maxShownIncidents } from '../../data/incidents.ts'
import { useLoad } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { machinesOf } from '../../reports/machine-filters.tsx'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Await, Empty } from '../../ui/notice.tsx'
import { filterIncidents, incidentFilterOf, toIncidentsQuery } from './incident-filter.ts'
import { IncidentFilters } from './incident-filters.tsx'
import { IncidentList } from './incident-list.tsx'
import { useIncidentNames, useOpenIncidents } from './use-incidents.ts'

/** The open incidents, longest first. The address names the filter, and the incident whose details are open. */
function Now() {
  const { t } = useLocale()
  const loaded = useOpenIncidents()
  const viewer = useViewer()
  const { client, userId } = viewer
  const mayReadMachines = hasScope(viewer, 'machine.read')
  const machines = useLoad(async () => (mayReadMachines ? client.call('GET /machines') : []), [client])
  const [query] = useQuery()
  const filter = incidentFilterOf(query)
  // The machines of a group are not known yet.
  const isWaiting = filter.groups.length > 0 && machines.value === null
  const machineIds = machinesOf(filter, machines.value ?? [])
  const all = loaded.value ?? []
  const isCut = isFull(all)
  const sent = isCut && !isWaiting ? toIncidentsQuery(filter, machineIds) : null
  const matching = useOpenIncidents(sent)
  const source = sent === null ? loaded : matching
  const found = source.value ?? []
  const shown = isWaiting ? [] : filterIncidents(found, filter, { machineIds, userId })
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t.screens.now}</h1>
      </header>
      <section aria-labelledby="open-title">
        <div class="section-head">
          <h2 id="open-title">{t.now.open}</h2>
          <p class="hint" role="status">
            {found.length > 0 && !isWaiting && <Count shown={shown} found={found} all={all} />}
          </p>
        </div>
        {all.length > 0 && <IncidentFilters incidents={all} isCut={isCut} filter={filter} machines={machines.value} />}
        <Await loaded={source}>
          {() =>
            isWaiting ? (
              <Await loaded={machines}>{() => null}</Await>
            ) : (
              <Shown found={found} all={all} shown={shown} onChanged={source.put} />
            )
          }
        </Await>
      </section>
    </div>
  )
}

/** Whether there may be further incidents than those that were read. */
function isFull({ length }: readonly IncidentItem[]): boolean {
  return length >= maxShownIncidents
}

interface FoundProps {
  /** Open incidents without a filter. */
  readonly all: readonly IncidentItem[]
  /** Open incidents among which the filter selects. */
  readonly found: readonly IncidentItem[]
  /** Open incidents that the filter selects. */
  readonly shown: readonly IncidentItem[]
}

function Count(props: FoundProps) {
  const { t } = useLocale()
  return (
    <>
      {useCount(props)} · {t.now.longest}
    </>
  )
}

function useCount({ all, found, shown }: FoundProps): string {
  const { t, format } = useLocale()
  const words = t.now
  const count = format.count(shown.length)
  if (isFull(found))
    return shown.length === found.length ? words.oldestOnly(count) : words.ofOldest(count, format.count(found.length))
  if (isFull(all)) return words.ofMany(count, format.count(all.length))
  return shown.length === all.length ? count : words.shownOf(count, format.count(all.length))
}

interface ShownProps extends FoundProps {
  /** Called with an incident after an action. */
  readonly onChanged: (incident: IncidentItem) => void
}

function Shown({ all, found, shown, onChanged }: ShownProps) {
  const { t, format } = useLocale()
  const names = useIncidentNames()
  const [query, change] = useQuery()
  return (
    <>
      {all.length === 0 && (
        <p class="all-well">
          <Icon name="check" /> {t.now.none}
        </p>
      )}
      {all.length > 0 && shown.length === 0 && (
        <Empty text={isFull(found) ? t.now.nothingOldest(format.count(found.length)) : t.now.nothing}>
          <Button
            text={t.reports.clearAll}
            onClick={() => change({ state: null, rule: null, group: null, machine: null })}
          />
        </Empty>
      )}
      <IncidentList
        incidents={shown}
        names={names}
        onChanged={onChanged}
        onOpen={incident => change({ incident: incident ?? '' })}
        openId={query.get('incident') || null}
      />
    </>
  )
}

export { Now as screen }
