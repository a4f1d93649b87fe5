import type { IncidentAssignee, IncidentItem } from '../../../schema/requests/incidents.ts'
import type { OpenIncident } from '../../data/incidents.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { Link } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { AssignTo, Comment } from './card-forms.tsx'
import { detailOf, type IncidentNames, ownerOf, titleOf } from './incident-texts.ts'

interface CardProps {
  readonly incident: OpenIncident
  /** Whether it is not open any more. */
  readonly isGone: boolean
  /** Users to whom it may be assigned; null: they are not loaded yet. */
  readonly assignees: readonly IncidentAssignee[] | null
  readonly names: IncidentNames
  /** UTC ms by the service's clock. */
  readonly nowMs: number
  /** Called after an action. */
  readonly onChanged: () => void
  /** Opens the details. */
  readonly onOpen: (id: string) => void
}

/** An unresolved incident with its owner, and a control for each action. */
export function IncidentCard({ incident, isGone, assignees, names, nowMs, onChanged, onOpen }: CardProps) {
  const { t, format } = useLocale()
  const viewer = useViewer()
  const { id, severity, state, subject, startedAt, assignedTo, acknowledgedBy, forYou } = incident
  const mayChange = hasScope(viewer, 'incident') && !isGone
  const words = t.now
  const detail = detailOf(incident, names, { t, format })
  return (
    <article class="incident" data-severity={severity} data-gone={isGone} aria-labelledby={`${id}-subject`}>
      <header class="incident-head">
        <h3 id={`${id}-subject`}>
          {subject.type === 'machine' ? (
            <Link to="app/machine" query={{ machine: subject.id }}>
              {subject.name}
            </Link>
          ) : (
            subject.name
          )}
        </h3>
        <span class="incident-since" title={format.dateTime(startedAt)}>
          {words.since(format.minutes(Math.max(1, nowMs - Date.parse(startedAt))))}
        </span>
      </header>
      <p class="incident-what">
        <span class="severity" data-severity={severity}>
          {t.alerts.severities[severity]}
        </span>
        <strong>{titleOf(incident, names, t)}</strong>
        {detail !== '' && <span>{detail}</span>}
        {forYou && <span class="for-you">{words.forYou}</span>}
      </p>
      <p class="incident-owner" data-owned={assignedTo !== null}>
        <span>
          {words.owner}: <b>{ownerOf(incident, t)}</b>
        </span>
        <span class="hint">
          {isGone && words.gone}
          {!isGone &&
            (state === 'acknowledged' && acknowledgedBy !== null
              ? words.acknowledgedBy(acknowledgedBy.name)
              : words.states[state])}
        </span>
      </p>
      {mayChange && (
        <div class="incident-actions">
          <Actions incident={incident} onChanged={onChanged} />
        </div>
      )}
      <div class="incident-actions incident-more">
        {mayChange && assignees !== null && (
          <AssignTo id={id} subject={subject.name} owner={assignedTo} assignees={assignees} onChanged={onChanged} />
        )}
        <Button text={words.more} of={subject.name} onClick={() => onOpen(id)} />
        {mayChange && <Comment id={id} subject={subject.name} onChanged={onChanged} />}
      </div>
    </article>
  )
}

interface ActionsProps extends Pick<CardProps, 'onChanged'> {
  readonly incident: IncidentItem
}

/** A button for each action of an unresolved incident. They keep the focus while an action is in progress. */
export function Actions({ incident, onChanged }: ActionsProps) {
  const { t } = useLocale()
  const { client, userId } = useViewer()
  const action = useAction()
  const { id, state, subject, assignedTo } = incident
  const words = t.now
  const params = { id }
  const act = (text: string, look: string, work: () => Promise<unknown>) => (
    <Button
      text={text}
      look={look}
      of={subject.name}
      aria-disabled={action.isBusy}
      onClick={() =>
        action.run(async () => {
          await work()
          onChanged()
        })
      }
    />
  )
  return (
    <>
      {state === 'open' &&
        act(words.acknowledge, 'primary', () => client.call('POST /incidents/:id/acknowledge', { params }))}
      {userId !== null &&
        assignedTo !== userId &&
        act(words.take, '', () => client.call('POST /incidents/:id/assign', { params, body: { userId } }))}
      {act(words.resolve, '', () => client.call('POST /incidents/:id/resolve', { params }))}
      <Failure error={action.error} />
    </>
  )
}
