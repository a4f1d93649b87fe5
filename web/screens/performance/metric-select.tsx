import { isMetricName, type MetricName } from '../../../schema/metrics.ts'
import { useLocale } from '../../texts/locale.ts'
import { metricNames, metricText, unitOf } from '../../texts/metrics.ts'
import { Labelled } from '../../ui/field.tsx'

const kinds = ['ratio', 'ms', 'parts', 'others'] as const

interface MetricSelectProps {
  readonly value: MetricName
  readonly onValue: (metric: MetricName) => void
}

/** A choice of a metric, by kinds. Thresholds are drawn with their metrics. */
export function MetricSelect({ value, onValue }: MetricSelectProps) {
  const { t, language } = useLocale()
  const offered = metricNames.filter(name => !name.endsWith('Threshold') && unitOf(name) !== 'instant')
  return (
    <Labelled label={t.performance.metric}>
      {control => (
        <select
          {...control}
          value={value}
          onChange={({ currentTarget }) => {
            if (isMetricName(currentTarget.value)) onValue(currentTarget.value)
          }}
        >
          {kinds.map(kind => (
            <optgroup key={kind} label={t.performance.metricKinds[kind]}>
              {offered
                .filter(name => kindOf(name) === kind)
                .map(name => (
                  <option key={name} value={name}>
                    {metricText(name, language).title}
                  </option>
                ))}
            </optgroup>
          ))}
        </select>
      )}
    </Labelled>
  )
}

function kindOf(name: MetricName): (typeof kinds)[number] {
  const unit = unitOf(name)
  return kinds.find(kind => kind === unit) ?? 'others'
}
