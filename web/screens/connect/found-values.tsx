import { useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import type { Discovery, TrialResult } from '../../../schema/requests/connector-trial.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Select, TextArea } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import { useAction } from '../../ui/use-action.ts'
import { MachineChoice } from './machine-choice.tsx'
import { ReadOn } from './read-on.tsx'
import { connectorOf, hasValues, isMapped, type MappedValue, mappedOf, meanings, type Plan, withRule } from './plan.ts'
import { TrialMachines } from './trial-machines.tsx'
import type { Reading } from './use-reading.ts'

interface FoundValuesProps {
  /** null: the source has not been read. */
  readonly found: Discovery | null
  readonly plan: Plan
  readonly machines: readonly MachineListItem[]
  readonly onChange: (changes: Partial<Plan>) => void
  readonly reading: Reading
}

/** The topics or keys of a source, what they mean, and what that gives on what was read. */
export function FoundValues({ found, plan, machines, reading, onChange }: FoundValuesProps) {
  const { t, format } = useLocale()
  const [assignment] = plan.assignments
  const { rules, keptMachines, source } = plan
  const isPosted = source.kind === 'http'
  const values = found?.values ?? []
  const shown = rules.filter(isMapped)
  const mapped = new Set(rules.map(each => (isMapped(each) ? each.from : each.kept.from)))
  const set = (rule: MappedValue, changes: Partial<MappedValue>) =>
    onChange({ rules: rules.map(each => (each === rule ? { ...rule, ...changes } : each)) })
  return (
    <>
      {found?.values.length === 0 && <p class="hint">{isPosted ? t.source.nothingPosted : t.source.foundNothing}</p>}
      {assignment && (
        <MachineChoice
          label={t.source.machine}
          assignment={assignment}
          machines={machines}
          onChange={changes => onChange({ assignments: [{ ...assignment, ...changes }] })}
        />
      )}
      {keptMachines.length > 0 && !isPosted && (
        <p class="notice">{t.source.keptMachines(format.count(keptMachines.length))}</p>
      )}
      {values.length > 0 && (
        <Table
          look="values"
          columns={[
            { title: t.source.valueName, cell: ({ name }) => <code>{name}</code> },
            { title: t.source.count, cell: ({ count }) => format.count(count) },
            { title: t.source.example, cell: ({ example }) => <code class="example">{example}</code> },
            {
              title: t.source.map,
              class: 'actions',
              cell: ({ name, example }) => (
                <Button
                  icon={mapped.has(name) ? 'check' : 'plus'}
                  text={t.source.map}
                  aria-label={t.source.mapOf(name)}
                  disabled={mapped.has(name)}
                  onClick={() => onChange({ rules: withRule(rules, mappedOf(name, example)) })}
                />
              ),
            },
          ]}
          rows={values.slice(0, 200)}
          keyOf={({ name }) => name}
        />
      )}
      <h3>{t.source.mapping}</h3>
      <p class="hint">{t.source.mappingHint}</p>
      {shown.map(each => (
        <Mapping
          key={each.from}
          value={each}
          hasPath={source.kind === 'mqtt'}
          onChange={changes => set(each, changes)}
          onRemove={() => onChange({ rules: rules.filter(other => other !== each) })}
        />
      ))}
      {shown.length < rules.length && (
        <p class="notice">{t.source.keptRules(format.count(rules.length - shown.length))}</p>
      )}
      {isPosted && rules.length > 0 && plan.stored && <p class="hint">{t.source.mappedBefore}</p>}
      {found && rules.length > 0 && (
        <>
          {!isPosted && <ReadOn plan={plan} found={found} reading={reading} />}
          <Try plan={plan} recording={found.recording} machines={machines} />
        </>
      )}
    </>
  )
}

interface MappingProps {
  readonly value: MappedValue
  readonly hasPath: boolean
  readonly onChange: (changes: Partial<MappedValue>) => void
  readonly onRemove: () => void
}

function Mapping({ value: { from, meaning, path, values }, hasPath, onChange, onRemove }: MappingProps) {
  const { t } = useLocale()
  return (
    <fieldset class="mapping">
      <legend>
        <code>{from}</code>
      </legend>
      <div class="row">
        <Select
          label={t.source.meaning(from)}
          value={meaning}
          options={meanings.map(value => ({ value, title: t.source.meanings[value] }))}
          onValue={to => onChange({ meaning: to })}
        />
        {hasPath && (
          <Field
            label={t.source.path}
            hint={t.source.pathHint}
            autocomplete="off"
            spellcheck={false}
            value={path}
            onValue={to => onChange({ path: to })}
          />
        )}
      </div>
      {hasValues(meaning) && (
        <TextArea
          label={t.source.values}
          hint={meaning === 'alarm' ? t.source.alarmHint : t.source.stateHint}
          rows={3}
          spellcheck={false}
          value={values}
          onValue={to => onChange({ values: to })}
        />
      )}
      {meaning === 'state' && values.trim() === '' && <p class="notice">{t.source.stateWithoutValues}</p>}
      <Button
        look="quiet"
        icon="close"
        text={t.source.removeRule}
        aria-label={t.source.removeRuleOf(from)}
        onClick={onRemove}
      />
    </fieldset>
  )
}

interface TryProps extends Pick<FoundValuesProps, 'plan' | 'machines'> {
  readonly recording: readonly string[]
}

/** Applies the mapping to what was read. */
function Try({ plan, recording, machines }: TryProps) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const [result, setResult] = useState<TrialResult | null>(null)
  const run = async () =>
    setResult(
      await client.call('POST /connectors/try', { body: { connector: connectorOf(plan), recording: [...recording] } }),
    )
  return (
    <div class="tried">
      <Button text={t.source.tryMapping} disabled={action.isBusy} onClick={() => action.run(run)} />
      <Failure error={action.error} />
      {result && (
        <div role="status">
          <p>{t.source.tried(format.count(result.sampleCount))}</p>
          <TrialMachines trial={result.machines} plan={plan} machines={machines} />
          {result.skipped.length > 0 && (
            <>
              <h4>{t.source.skipped}</h4>
              <ul class="skipped">
                {result.skipped.slice(0, 10).map(({ reason, count, example }) => (
                  <li key={reason}>
                    {format.count(count)} × {t.source.message(reason)}: <code>{example}</code>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </div>
  )
}
