import { useEffect, useRef, useState } from 'preact/hooks'
import type { Discovery } from '../../../schema/requests/connector-trial.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { longDiscoverOf, toDiscovery } from './found.ts'
import type { Plan } from './plan.ts'

interface ReadOnProps {
  readonly plan: Plan
  readonly found: Discovery
  readonly onFound: (found: Discovery) => void
}

/** Reads the source for two more minutes: brokers and adapters keep no values that a mapping could be tried on. */
export function ReadOn({ plan, found, onFound }: ReadOnProps) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const reading = useRef<AbortController | null>(null)
  const [isReading, setReading] = useState(false)
  useEffect(() => () => reading.current?.abort(), [])
  const read = async () => {
    const control = new AbortController()
    reading.current = control
    setReading(true)
    const onLine = (line: unknown) => onFound(toDiscovery(line))
    try {
      await client.readLines('connectors/discover', longDiscoverOf(plan), { signal: control.signal, onLine })
    } finally {
      setReading(false)
    }
  }
  const count = found.values.reduce((sum, each) => sum + each.count, 0)
  return (
    <>
      <p class="hint">{t.source.readOnHint}</p>
      <div class="section-head">
        {isReading ? (
          <Button icon="stop" text={t.source.stop} onClick={() => reading.current?.abort()} />
        ) : (
          <Button text={t.source.readOn} onClick={() => action.run(read)} />
        )}
        <span class="hint" role="status">
          {t.source.readCount(format.count(count))}
        </span>
      </div>
      <Failure error={action.error} />
    </>
  )
}
