import { type MetricName, metrics, type Unit } from '../../schema/metrics.ts'
import { sumMeanings, type SumName } from '../../schema/sums.ts'
import type { Language } from '../../schema/languages.ts'
import { type MetricText, metricTextsDe, sumTextsDe } from '../../schema/metrics.de.ts'

/** Name and meaning of a metric in a language; the English texts are those of the API. */
export function metricText(name: MetricName, language: Language): MetricText {
  return language === 'de' ? metricTextsDe[name] : metrics[name]
}

/** Meaning of a sum that metrics are made of. */
export function sumText(name: SumName, language: Language): string {
  return language === 'de' ? sumTextsDe[name] : sumMeanings[name]
}

/** Unit of a metric. */
export function unitOf(name: MetricName): Unit {
  return metrics[name].unit
}

/** All metrics, in the order of the API. */
export const metricNames: readonly MetricName[] = namesOf(metrics)

function namesOf(named: Readonly<Record<MetricName, unknown>>): readonly MetricName[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of the metrics, and no others
  return Object.keys(named) as MetricName[]
}
