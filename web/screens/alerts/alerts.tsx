import { useState } from 'preact/hooks'
import { isMachineCondition } from '../../../schema/records/alert-condition.ts'
import { useLoad } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { RemoveDialog } from '../../ui/dialog.tsx'
import { Await, Empty, Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { type AlertsData, loadAlerts } from './alerts-data.ts'
import { RuleDialog } from './rule-dialog.tsx'
import type { RuleForm } from './rule-form.ts'
import { sentenceOf, type ShownRule } from './rule-sentence.ts'
import { Targets } from './targets.tsx'
import { templatesOf } from './templates.ts'
import { TrialDialog } from './trial-dialog.tsx'

/** The alert rules as sentences, templates of usual ones, and the targets. */
function Alerts() {
  const { t } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const loaded = useLoad(() => loadAlerts(client, viewer, t), [client, t])
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t.screens.alerts}</h1>
      </header>
      <Await loaded={loaded}>
        {data => (
          <>
            <Rules data={data} onChanged={loaded.reload} />
            <Targets data={data} onChanged={loaded.reload} />
          </>
        )}
      </Await>
    </div>
  )
}

interface PartProps {
  readonly data: AlertsData
  readonly onChanged: () => void
}

interface Opened {
  readonly rule: ShownRule | null
  readonly template: RuleForm | null
}

function Rules({ data, onChanged }: PartProps) {
  const { t } = useLocale()
  const words = t.alerts
  const mayChange = hasScope(useViewer(), 'alert')
  const [opened, setOpened] = useState<Opened | null>(null)
  const add = (template: RuleForm | null) => setOpened({ rule: null, template })
  return (
    <section class="stack" aria-labelledby="rules-title">
      <div class="page-head">
        <h2 id="rules-title">{words.rules}</h2>
        {mayChange && <Button look="primary" icon="plus" text={words.addRule} onClick={() => add(null)} />}
      </div>
      {data.rules.length === 0 && <Empty text={words.empty} />}
      <ul class="rules">
        {data.rules.map(rule => (
          <li key={rule.id}>
            <Rule rule={rule} data={data} onChanged={onChanged} onEdit={() => setOpened({ rule, template: null })} />
          </li>
        ))}
      </ul>
      {mayChange && (
        <div class="presets" role="group" aria-label={words.templates}>
          <span class="presets-label" aria-hidden="true">
            {words.templates}
          </span>
          {templatesOf(t).map(template => (
            <Button key={template.name} look="quiet" text={template.name} onClick={() => add(template)} />
          ))}
        </div>
      )}
      {opened && <RuleDialog {...opened} data={data} onClose={() => setOpened(null)} onChanged={onChanged} />}
    </section>
  )
}

interface RuleProps extends PartProps {
  readonly rule: ShownRule
  readonly onEdit: () => void
}

function Rule({ rule, data, onChanged, onEdit }: RuleProps) {
  const locale = useLocale()
  const words = locale.t.alerts
  const mayChange = hasScope(useViewer(), 'alert')
  const { id, name, enabled, severity } = rule
  return (
    <article class="card rule" data-on={enabled} aria-labelledby={`${id}-name`}>
      <header class="rule-head">
        <h3 id={`${id}-name`}>{name}</h3>
        <span class="severity" data-severity={severity}>
          {words.severities[severity]}
        </span>
        {!enabled && <span class="chip">{words.isOff}</span>}
      </header>
      <p>{sentenceOf(rule, data.names, locale)}</p>
      {mayChange && <RuleActions rule={rule} data={data} onChanged={onChanged} onEdit={onEdit} />}
    </article>
  )
}

function RuleActions({ rule, data, onChanged, onEdit }: RuleProps) {
  const { t } = useLocale()
  const words = t.alerts
  const { client } = useViewer()
  const action = useAction()
  const [isRemoving, setRemoving] = useState(false)
  const [isTrying, setTrying] = useState(false)
  const { id, name, enabled } = rule
  const turn = enabled ? t.records.turnOff : t.records.turnOn
  return (
    <div class="rule-actions">
      <Button look="quiet" text={t.keys.edit} of={name} onClick={onEdit} />
      {isMachineCondition(rule.condition) && (
        <Button look="quiet" text={words.test} of={name} onClick={() => setTrying(true)} />
      )}
      <Button
        look="quiet"
        text={turn}
        of={name}
        disabled={action.isBusy}
        onClick={() =>
          action.run(async () => {
            const { id: _, activeFrom: __, ...body } = rule
            await client.call('PUT /alert-rules/:id', { params: { id }, body: { ...body, enabled: !enabled } })
            onChanged()
          })
        }
      />
      <Button look="quiet" text={t.records.remove} of={name} onClick={() => setRemoving(true)} />
      <Failure error={action.error} />
      {isTrying && <TrialDialog rule={rule} targets={data.names.targets} onClose={() => setTrying(false)} />}
      {isRemoving && (
        <RemoveDialog
          title={t.records.removeNamed(name)}
          text={words.removeRule}
          submit={t.records.remove}
          onClose={() => setRemoving(false)}
          onRemove={async () => {
            await client.call('DELETE /alert-rules/:id', { params: { id } })
            setRemoving(false)
            onChanged()
          }}
        />
      )}
    </div>
  )
}

export { Alerts as screen }
