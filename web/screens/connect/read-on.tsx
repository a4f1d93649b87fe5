import type { Discovery } from '../../../schema/requests/connector-trial.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { longDiscoverOf } from './found.ts'
import type { Plan } from './plan.ts'
import type { Reading } from './use-reading.ts'

interface ReadOnProps {
  readonly plan: Plan
  readonly found: Discovery
  readonly reading: Reading
}

/** Reads the source for two more minutes: brokers and adapters keep no values that a mapping could be tried on. */
export function ReadOn({ plan, found, reading }: ReadOnProps) {
  const { t, format } = useLocale()
  const count = found.values.reduce((sum, each) => sum + each.count, 0)
  return (
    <>
      <p class="hint">{t.source.readOnHint}</p>
      <div class="section-head">
        {reading.isBusy ? (
          <Button icon="stop" text={t.source.stop} onClick={reading.stop} />
        ) : (
          <Button text={t.source.readOn} onClick={() => reading.start(longDiscoverOf(plan))} />
        )}
        <span class="hint" role="status">
          {t.source.readCount(format.count(count))}
        </span>
      </div>
    </>
  )
}
