import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import { maxShownIncidents } from '../../data/incidents.ts'
import { useLoad } from '../../data/use-load.ts'
import { useViewer } from '../../data/viewer.ts'
import { machinesOf } from '../../reports/machine-filters.tsx'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Await, Empty } from '../../ui/notice.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { filterIncidents, incidentFilterOf } from './incident-filter.ts'
import { IncidentFilters } from './incident-filters.tsx'
import { IncidentList } from './incident-list.tsx'
import { useIncidentNames, useOpenIncidents } from './use-incidents.ts'

/** The open incidents, longest first. The address names the filter, and the incident whose details are open. */
function Now() {
  const { t } = useLocale()
  const loaded = useOpenIncidents()
  const { client, userId } = useViewer()
  const machines = useLoad(() => client.call('GET /machines'), [client])
  const [query] = useQuery()
  const filter = incidentFilterOf(query)
  // The machines of a group are not known yet.
  const isWaiting = filter.groups.length > 0 && machines.value === null
  const machineIds = machinesOf(filter, machines.value ?? [])
  const all = loaded.value ?? []
  const shown = isWaiting ? [] : filterIncidents(all, filter, { machineIds, userId })
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t.screens.now}</h1>
      </header>
      <section aria-labelledby="open-title">
        <div class="section-head">
          <h2 id="open-title">{t.now.open}</h2>
          <p class="hint" role="status">
            {all.length > 0 && !isWaiting && <Count shown={shown.length} all={all.length} />}
          </p>
        </div>
        {all.length > 0 && <IncidentFilters incidents={all} filter={filter} machines={machines.value} />}
        <Await loaded={loaded}>
          {() =>
            isWaiting ? (
              <Await loaded={machines}>{() => null}</Await>
            ) : (
              <Shown all={all} shown={shown} onChanged={loaded.put} />
            )
          }
        </Await>
      </section>
    </div>
  )
}

function Count({ shown, all }: { readonly shown: number; readonly all: number }) {
  const { t, format } = useLocale()
  const words = t.now
  const count = all < maxShownIncidents ? format.count(all) : words.oldestOnly(format.count(all))
  return (
    <>
      {shown === all ? count : words.shownOf(format.count(shown), count)} · {words.longest}
    </>
  )
}

interface ShownProps {
  /** All open incidents. */
  readonly all: readonly IncidentItem[]
  /** Open incidents that the filter selects. */
  readonly shown: readonly IncidentItem[]
  /** Called with an incident after an action. */
  readonly onChanged: (incident: IncidentItem) => void
}

function Shown({ all, shown, onChanged }: ShownProps) {
  const { t } = useLocale()
  const names = useIncidentNames()
  const [query, change] = useQuery()
  return (
    <>
      {all.length === 0 && (
        <p class="all-well">
          <StatusMark status="ACTIVE" size={18} /> {t.now.none}
        </p>
      )}
      {all.length > 0 && shown.length === 0 && (
        <Empty text={t.now.nothing}>
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
