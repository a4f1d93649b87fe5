import * as t from '../types.ts'

/** Facts that the samples of a machine should determine. */
export const missingMeanings = ['state', 'parts', 'spindle'] as const
export type MissingMeaning = (typeof missingMeanings)[number]

/** Fields of a machine in responses that its samples determine. */
export const machineSamplesFields = {
  lastSample: t.described(
    t.nullable(t.instant),
    'Time of its newest sample; heartbeats of connectors and samples of the future do not count. null: none, or the process has not read it since its start',
  ),
  missing: t.described(
    t.nullable(t.list(t.named('MissingMeaning', t.oneOf(missingMeanings)))),
    'What no key of the machine determines, by the types of its keys and its settings: without `state`, it is always UNAVAILABLE. null: not all keys are known, or the process has not read them since its start',
  ),
}
const fields = machineSamplesFields
export type MachineSamples = { readonly [Name in keyof typeof fields]: t.Infer<(typeof fields)[Name]> }
