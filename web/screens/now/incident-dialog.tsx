import type { IncidentItem } from '../../../schema/requests/incidents.ts'
import type { Incident } from '../../data/endpoints.ts'
import { isUnresolved } from '../../data/incidents.ts'
import { useLoad, usePolled } from '../../data/use-load.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Chooser } from '../../ui/chooser.tsx'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { Await, Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { useForm } from '../../ui/use-form.ts'
import { Actions } from './incident-card.tsx'
import { detailOf, type IncidentNames, ownerOf, titleOf } from './incident-texts.ts'

type Changed = () => void

interface DialogProps {
  readonly id: string
  /** The incident as the list shows it, a new object after each change; undefined: the list does not show it. */
  readonly listed: IncidentItem | undefined
  readonly names: IncidentNames
  /** Called after an action. */
  readonly onChanged: Changed
  readonly onClose: () => void
}

const everyMs = 3_000

/** An incident with its comments, which it follows; it is assigned and commented here. */
export function IncidentDialog({ id, listed, names, onChanged, onClose }: DialogProps) {
  const { t } = useLocale()
  const viewer = useViewer()
  const { client } = viewer
  const mayChange = hasScope(viewer, 'incident')
  const loaded = usePolled(everyMs, () => client.call('GET /incidents/:id', { params: { id } }), [client, id, listed])
  const changed = () => {
    loaded.reload()
    onChanged()
  }
  return (
    <Dialog title={loaded.value?.subject.name ?? t.now.open} onClose={onClose}>
      <Await loaded={loaded}>
        {incident => (
          <>
            <IncidentFacts incident={incident} names={names} />
            {mayChange && isUnresolved(incident) && (
              <>
                <div class="incident-actions">
                  <Actions incident={incident} onChanged={changed} />
                </div>
                <Assign incident={incident} onChanged={changed} />
              </>
            )}
            <Comments incident={incident} />
            {mayChange && <CommentForm id={id} onChanged={changed} />}
          </>
        )}
      </Await>
    </Dialog>
  )
}

function IncidentFacts({ incident, names }: { readonly incident: Incident; readonly names: IncidentNames }) {
  const { t, format } = useLocale()
  const words = t.now
  const { severity, state, startedAt, openedAt, endedAt } = incident
  const { acknowledgedBy, acknowledgedAt, resolvedBy, resolvedAt } = incident
  const acknowledged = acknowledgedBy && `${acknowledgedBy.name}, ${format.dateTime(acknowledgedAt)}`
  const resolved = resolvedAt && [resolvedBy?.name, format.dateTime(resolvedAt)].filter(Boolean).join(', ')
  const facts = [
    [words.rule, `${titleOf(incident, names, t)} (${t.alerts.severities[severity]})`],
    [t.terms.reason, detailOf(incident, names, { t, format })],
    [t.terms.state, words.states[state]],
    [words.owner, ownerOf(incident, t)],
    [words.states.acknowledged, acknowledged],
    [words.startedAt, format.dateTime(startedAt)],
    [words.openedAt, format.dateTime(openedAt)],
    [words.endedAt, format.dateTime(endedAt)],
    [words.states.resolved, resolved],
  ] as const
  return <Facts facts={facts} />
}

function Assign({ incident, onChanged }: { readonly incident: Incident; readonly onChanged: Changed }) {
  const { t } = useLocale()
  const { client } = useViewer()
  const { value: users, error } = useLoad(() => client.call('GET /incident-assignees'), [client])
  const action = useAction()
  const { assignedTo } = incident
  // The owner may have been disabled since, and is shown before the users are loaded.
  const isListed = assignedTo === null || users?.some(({ id }) => id === assignedTo) === true
  const options = [
    { value: '', title: t.now.noOwner },
    ...(isListed ? [] : [{ value: assignedTo, title: ownerOf(incident, t) }]),
    ...(users ?? []).map(({ id, displayName }) => ({ value: id, title: displayName })),
  ]
  return (
    <>
      <Chooser
        label={t.now.assign}
        value={assignedTo ?? ''}
        options={options}
        onValue={value =>
          action.run(async () => {
            const body = { userId: value === '' ? null : value }
            await client.call('POST /incidents/:id/assign', { params: { id: incident.id }, body })
            onChanged()
          })
        }
      />
      <Failure error={action.error ?? error} />
    </>
  )
}

function Comments({ incident: { comments } }: { readonly incident: Incident }) {
  const { t, format } = useLocale()
  return (
    <section aria-labelledby="comments-title">
      <h3 id="comments-title">{t.now.comments}</h3>
      {comments.length === 0 ? (
        <p class="hint">{t.now.noComments}</p>
      ) : (
        <ol class="comments">
          {comments.map(({ at, by, text }, index) => (
            <li key={index}>
              <p class="hint">
                {by.name}, {format.dateTime(at)}
              </p>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function CommentForm({ id, onChanged }: { readonly id: string; readonly onChanged: Changed }) {
  const { t } = useLocale()
  const { client } = useViewer()
  const form = useForm({ text: '' }, async ({ text }) => {
    await client.call('POST /incidents/:id/comment', { params: { id }, body: { text } })
    form.reset()
    onChanged()
  })
  return (
    <form onSubmit={form.onSubmit}>
      <Field label={t.now.comment} {...form.field('text')} />
      <Failure error={form.error} />
      <DialogFoot submit={t.now.addComment} disabled={form.isBusy} />
    </form>
  )
}
