import { hasScope, useViewer } from '../../data/viewer.ts'
import { useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Toggles } from '../../ui/toggles.tsx'
import { ReadSource } from './read-source.tsx'
import { SendSamples } from './send-samples.tsx'

const ways = ['source', 'send'] as const

/** Connects machines: Takt reads a source, or a gateway sends samples. */
function Connect() {
  const { t } = useLocale()
  const viewer = useViewer()
  const [query, change] = useQuery()
  const mayRead = hasScope(viewer, 'connector')
  const way = mayRead && query.get('way') !== 'send' ? 'source' : 'send'
  return (
    <div class="page narrow">
      <h1>{t.screens.connect}</h1>
      {mayRead && (
        <Toggles
          label={t.screens.connect}
          value={way}
          options={ways.map(value => ({ value, title: t.source.ways[value] }))}
          onValue={value => change({ way: value })}
        />
      )}
      {way === 'source' ? <ReadSource /> : <SendSamples />}
    </div>
  )
}

export { Connect as screen }
