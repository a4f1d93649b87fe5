import { maxShownIncidents } from '../../data/incidents.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Await } from '../../ui/notice.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { IncidentList } from './incident-list.tsx'
import { useIncidentNames, useOpenIncidents } from './use-incidents.ts'

/** The open incidents, longest first. The address names the incident whose details are open. */
function Now() {
  const { t, format } = useLocale()
  const loaded = useOpenIncidents()
  const names = useIncidentNames()
  const [query, change] = useQuery()
  const countOf = ({ length }: readonly unknown[]) =>
    length < maxShownIncidents ? format.count(length) : t.now.oldestOnly(format.count(length))
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t.screens.now}</h1>
      </header>
      <section aria-labelledby="open-title">
        <div class="section-head">
          <h2 id="open-title">{t.now.open}</h2>
          <p class="hint" role="status">
            {loaded.value !== null && loaded.value.length > 0 && `${countOf(loaded.value)} · ${t.now.longest}`}
          </p>
        </div>
        <Await loaded={loaded}>
          {incidents => (
            <>
              {incidents.length === 0 && (
                <p class="all-well">
                  <StatusMark status="ACTIVE" size={18} /> {t.now.none}
                </p>
              )}
              <IncidentList
                incidents={incidents}
                names={names}
                onChanged={loaded.put}
                onOpen={incident => change({ incident: incident ?? '' })}
                openId={query.get('incident') || null}
              />
            </>
          )}
        </Await>
      </section>
    </div>
  )
}

export { Now as screen }
