import { useState } from 'preact/hooks'
import type { IncidentAssignee } from '../../../schema/requests/incidents.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { actionOf, Button } from '../../ui/button.tsx'
import { memo } from '../../ui/memo.ts'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'

interface FormProps {
  /** Id of the incident. */
  readonly id: string
  /** Name of what it is of. */
  readonly subject: string
  readonly onChanged: () => void
}

interface AssignProps extends FormProps {
  /** Id of a user; null: none. */
  readonly owner: string | null
  readonly assignees: readonly IncidentAssignee[]
}

/** Assigns an incident to the chosen user, or to none. */
export const AssignTo = memo(function AssignTo({ id, subject, owner, assignees, onChanged }: AssignProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const words = t.now
  const assign = (userId: string | null) =>
    action.run(async () => {
      await client.call('POST /incidents/:id/assign', { params: { id }, body: { userId } })
      onChanged()
    })
  return (
    <>
      <select
        aria-label={actionOf(words.assign, subject)}
        value=""
        onChange={({ currentTarget }) => {
          const { value } = currentTarget
          currentTarget.value = ''
          assign(value === 'none' ? null : value)
        }}
      >
        <option value="" disabled>
          {words.assign} …
        </option>
        {assignees
          .filter(user => user.id !== owner)
          .map(user => (
            <option key={user.id} value={user.id}>
              {user.displayName}
            </option>
          ))}
        {owner !== null && <option value="none">{words.noOwner}</option>}
      </select>
      <Failure error={action.error} />
    </>
  )
})

/** A field for a comment, with a button as soon as it contains text. */
export const Comment = memo(function Comment({ id, subject, onChanged }: FormProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const action = useAction()
  const [text, setText] = useState('')
  const [isAdded, setAdded] = useState(false)
  const words = t.now
  const add = async () => {
    await client.call('POST /incidents/:id/comment', { params: { id }, body: { text } })
    setText('')
    setAdded(true)
    onChanged()
  }
  return (
    <form
      class="incident-comment"
      onSubmit={event => {
        event.preventDefault()
        action.run(add)
      }}
    >
      <input
        aria-label={actionOf(words.comment, subject)}
        placeholder={words.comment}
        maxLength={2000}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setAdded(false)
        }}
      />
      {text.trim() !== '' && <Button text={words.send} aria-label={actionOf(words.addComment, subject)} />}
      {isAdded && (
        <span class="hint" role="status">
          {words.commented}
        </span>
      )}
      <Failure error={action.error} />
    </form>
  )
})
