import { hasScope, useViewer } from '../../data/viewer.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Toggles } from '../../ui/toggles.tsx'
import { newPlan, ReadSource } from './read-source.tsx'
import { SendSamples } from './send-samples.tsx'
import { StoredConnector } from './stored-connector.tsx'

const ways = ['source', 'send'] as const

/**
 * Connects machines: Takt reads a source, or a gateway sends samples. `?connector=ID` changes a connector, `?posted=ID` maps
 * the samples that are posted for a machine.
 */
function Connect() {
  const { t } = useLocale()
  const viewer = useViewer()
  const [query, change] = useQuery()
  const mayRead = hasScope(viewer, 'connector')
  const way = mayRead && query.get('way') !== 'send' ? 'source' : 'send'
  const stored = mayRead ? query.get('connector') : null
  return (
    <div class="page narrow">
      <h1>{t.screens.connect}</h1>
      {mayRead && stored === null && (
        <Toggles
          label={t.screens.connect}
          value={way}
          options={ways.map(value => ({ value, title: t.source.ways[value] }))}
          onValue={value => change({ way: value })}
        />
      )}
      {stored !== null ? (
        <StoredConnector key={stored} id={stored} />
      ) : way === 'source' ? (
        <>
          <p class="lead">{t.source.intro}</p>
          <ReadSource key="new" first={() => newPlan(query.get('posted'))} />
        </>
      ) : (
        <SendSamples />
      )}
    </div>
  )
}

export { Connect as screen }
