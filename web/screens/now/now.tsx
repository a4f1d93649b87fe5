import type { OpenIncident } from '../../data/incidents.ts'
import { useLoad } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { machinesOf } from '../../reports/machine-filters.tsx'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { ConnectionMark } from '../../ui/connection-mark.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Await, Empty } from '../../ui/notice.tsx'
import { ForYou } from './for-you.tsx'
import { filterIncidents, incidentFilterOf } from './incident-filter.ts'
import { IncidentFilters } from './incident-filters.tsx'
import { IncidentList } from './incident-list.tsx'
import type { IncidentNames } from './incident-texts.ts'
import { useIncidentNames, useOpenIncidents } from './use-incidents.ts'

/** The open incidents, the most severe first, then the longest. The address names the filter, and the incident whose details are open. */
function Now() {
  const { t } = useLocale()
  const { incidents, isCut, isLive, error, reload } = useOpenIncidents(null)
  const viewer = useViewer()
  const { client, userId } = viewer
  const mayReadMachines = hasScope(viewer, 'machine.read')
  const machines = useLoad(async () => (mayReadMachines ? client.call('GET /machines') : []), [client])
  const names = useIncidentNames()
  const [query, change] = useQuery()
  const openDetails = (incident: string | null) => change({ incident: incident ?? '' })
  const filter = incidentFilterOf(query)
  // The machines of a group are not known yet.
  const isWaiting = filter.groups.length > 0 && machines.value === null
  const machineIds = machinesOf(filter, machines.value ?? [])
  const all = incidents ?? []
  const shown = isWaiting ? [] : filterIncidents(all, filter, { machineIds, userId })
  return (
    <div class="page">
      <ForYou open={isLive ? all : null} names={names} onOpen={openDetails}>
        <div class="floor-head">
          <h1>{t.screens.now}</h1>
          <ConnectionMark error={error} isLive={isLive} isLoaded={incidents !== null} />
        </div>
      </ForYou>
      <section aria-labelledby="open-title">
        <div class="section-head">
          <h2 id="open-title">{t.now.open}</h2>
          <p class="hint" role="status">
            {all.length > 0 && !isWaiting && <Count shown={shown} all={all} isCut={isCut} />}
          </p>
        </div>
        {all.length > 0 && <IncidentFilters incidents={all} isCut={isCut} filter={filter} machines={machines.value} />}
        <Await loaded={{ value: incidents, error }}>
          {() =>
            isWaiting ? (
              <Await loaded={machines}>{() => null}</Await>
            ) : (
              <Shown
                key={JSON.stringify(filter)}
                all={all}
                shown={shown}
                isCut={isCut}
                names={names}
                onChanged={reload}
                onOpen={openDetails}
              />
            )
          }
        </Await>
      </section>
    </div>
  )
}

interface FoundProps {
  /** Open incidents without a filter. */
  readonly all: readonly OpenIncident[]
  /** Open incidents that the filter selects. */
  readonly shown: readonly OpenIncident[]
  /** Whether there may be further incidents than those that were read. */
  readonly isCut: boolean
}

function Count(props: FoundProps) {
  const { t } = useLocale()
  return (
    <>
      {useCount(props)} · {t.now.order}
    </>
  )
}

function useCount({ all, shown, isCut }: FoundProps): string {
  const { t, format } = useLocale()
  const words = t.now
  const count = format.count(shown.length)
  if (isCut)
    return shown.length === all.length ? words.oldestOnly(count) : words.ofOldest(count, format.count(all.length))
  return shown.length === all.length ? count : words.shownOf(count, format.count(all.length))
}

interface ShownProps extends FoundProps {
  /** Called after an action. */
  readonly onChanged: () => void
  readonly names: IncidentNames
  /** Opens the details of an incident; null closes them. */
  readonly onOpen: (id: string | null) => void
}

function Shown({ all, shown, isCut, names, onChanged, onOpen }: ShownProps) {
  const { t, format } = useLocale()
  const [query, change] = useQuery()
  return (
    <>
      {all.length === 0 && (
        <p class="all-well">
          <Icon name="check" /> {t.now.none}
        </p>
      )}
      {all.length > 0 && shown.length === 0 && (
        <Empty text={isCut ? t.now.nothingOldest(format.count(all.length)) : t.now.nothing}>
          <Button
            text={t.reports.clearAll}
            onClick={() => change({ state: null, rule: null, group: null, machine: null })}
          />
        </Empty>
      )}
      <IncidentList
        incidents={shown}
        open={all}
        names={names}
        onChanged={onChanged}
        onOpen={onOpen}
        openId={query.get('incident') || null}
      />
    </>
  )
}

export { Now as screen }
