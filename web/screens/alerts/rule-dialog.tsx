import { useState } from 'preact/hooks'
import { alertKinds, isMachineKind, limitOf, systemChecks } from '../../../schema/records/alert-condition.ts'
import { newId } from '../../data/new-id.ts'
import { statusOrder } from '../../data/status.ts'
import { useViewer } from '../../data/viewer.ts'
import type { Draft, FieldSpec } from '../../records/fields.tsx'
import { FormDialog } from '../../records/record-form.tsx'
import { useLocale } from '../../texts/locale.ts'
import type { Texts } from '../../texts/en.ts'
import type { AlertsData } from './alerts-data.ts'
import { formOf, type RuleForm, type RuleInput, ruleOf } from './rule-form.ts'
import type { ShownRule } from './rule-sentence.ts'
import { TrialDialog } from './trial-dialog.tsx'

const minuteMs = 60_000

interface DialogProps {
  /** null: a new rule. */
  readonly rule: ShownRule | null
  /** Values of the form of a new rule. */
  readonly template: RuleForm | null
  readonly data: AlertsData
  readonly onClose: () => void
  readonly onChanged: () => void
}

/** The form of an alert rule. */
export function RuleDialog({ rule, template, data, onClose, onChanged }: DialogProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const words = t.alerts
  const [tried, setTried] = useState<RuleInput | null>(null)
  return (
    <>
      <FormDialog<RuleForm>
        title={rule === null ? words.addRule : words.editRule(rule.name)}
        record={rule === null ? template : formOf(rule)}
        fields={draft => fieldsOf(draft, data, t)}
        submit={rule === null ? t.records.create : t.keys.save}
        otherOf={form =>
          isMachineKind(form.kind) ? { text: words.test, onClick: () => setTried(ruleOf(form, rule)) } : null
        }
        onClose={onClose}
        onSubmit={async form => {
          await client.call('PUT /alert-rules/:id', { params: { id: rule?.id ?? newId() }, body: ruleOf(form, rule) })
          onClose()
          onChanged()
        }}
      />
      {tried && <TrialDialog rule={tried} targets={data.names.targets} onClose={() => setTried(null)} />}
    </>
  )
}

type Field = FieldSpec<keyof RuleForm>

/** The fields of a kind of condition; of an empty draft, those of all kinds, so that each gets its value. */
function fieldsOf(draft: Draft, { names, targets }: AlertsData, t: Texts): readonly Field[] {
  const words = t.alerts.fields
  const kind = draft['kind']
  const isOf = (...kinds: readonly string[]) => kind === undefined || kinds.includes(String(kind))
  const when = (shown: boolean, ...fields: readonly Field[]) => (shown ? fields : [])
  const minutes = {
    kind: 'number',
    show: (ms: number) => ms / minuteMs,
    store: (min: number) => min * minuteMs,
  } as const
  const { absent } = t.reports
  const reasons = new Map([['uncategorized', absent.uncategorized], ['setup', absent.setup], ...names.reasons])
  const targetOptions = targets.map(({ id, name }) => ({ value: id, title: name }))
  const limit = limitOf({ system: systemChecks.find(each => each === draft['check']) ?? 'lag' })
  return [
    { kind: 'text', name: 'name', label: t.terms.name, required: true },
    { kind: 'choice', name: 'severity', label: words.severity, options: optionsOf(t.alerts.severities), row: 'kind' },
    {
      kind: 'choice',
      name: 'kind',
      label: words.condition,
      options: alertKinds.map(value => ({ value, title: t.alerts.kinds[value] })),
      row: 'kind',
    },
    ...when(isOf('stop'), {
      kind: 'choices',
      name: 'reasons',
      label: words.reasons,
      hint: words.any,
      options: optionsIn(reasons),
    }),
    ...when(isOf('status'), {
      kind: 'choices',
      name: 'statuses',
      label: words.statuses,
      options: statusOrder.map(value => ({ value, title: t.status[value] })),
    }),
    ...when(isOf('alarm'), { kind: 'text', name: 'codes', label: words.codes, hint: words.any }),
    ...when(isOf('call'), {
      kind: 'choices',
      name: 'calls',
      label: words.calls,
      hint: words.any,
      options: optionsIn(names.calls),
    }),
    ...when(isOf('system'), { kind: 'choice', name: 'check', label: words.check, options: optionsOf(t.alerts.checks) }),
    ...when(isOf('system') && limit !== null, {
      kind: 'number',
      name: 'above',
      label: words.above,
      hint: words.aboveHint(String(limit)),
    }),
    ...when(isOf('stop', 'status', 'silent', 'alarm', 'connector', 'system'), {
      ...minutes,
      name: 'forMs',
      label: words.minutes,
    }),
    ...when(isOf('stop', 'status', 'silent', 'alarm', 'call'), {
      kind: 'flag',
      name: 'scheduled',
      label: words.scheduled,
    }),
    ...when(isOf('stop', 'status', 'silent', 'alarm', 'call') && names.groups.size > 0, {
      kind: 'choices',
      name: 'groups',
      label: words.groups,
      hint: words.groupsHint,
      options: optionsIn(names.groups),
    }),
    ...when(
      targetOptions.length > 0,
      { kind: 'choices', name: 'notify', label: words.notify, hint: words.notifyHint, options: targetOptions },
      { ...minutes, name: 'alsoAfterMs', label: words.alsoAfter },
      { kind: 'choices', name: 'also', label: words.also, options: targetOptions },
    ),
  ]
}

function optionsOf(titles: Readonly<Record<string, string>>) {
  return Object.entries(titles).map(([value, title]) => ({ value, title }))
}

function optionsIn(names: ReadonlyMap<string, string>) {
  return [...names].map(([value, title]) => ({ value, title }))
}
