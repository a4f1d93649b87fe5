import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import type { DowntimeReasonResponse } from '../../schema/records/downtime-reason.ts'
import { groupReasons } from '../data/reason-groups.ts'

interface GroupedReasonsProps {
  readonly reasons: readonly DowntimeReasonResponse[]
  /** Class of the lists. */
  readonly look: string
  readonly children: (reason: DowntimeReasonResponse) => ComponentChildren
}

interface GroupNamesProps {
  /** Id by which a field names these suggestions. */
  readonly id: string
  readonly reasons: readonly DowntimeReasonResponse[]
}

/** The names of groups as suggestions for a field. */
export function GroupNames({ id, reasons }: GroupNamesProps) {
  return (
    <datalist id={id}>
      {groupReasons(reasons).map(({ name }) => name !== null && <option key={name} value={name} />)}
    </datalist>
  )
}

/** A list of the reasons of each group, under the name of the group. */
export function GroupedReasons({ reasons, look, children }: GroupedReasonsProps) {
  const id = useId()
  return (
    <>
      {groupReasons(reasons).map((group, index) => {
        const headingId = group.name === null ? undefined : `${id}-${index}`
        return (
          <div key={group.name ?? ''} class="reason-group">
            {group.name !== null && <h4 id={headingId}>{group.name}</h4>}
            <ul class={look} aria-labelledby={headingId}>
              {group.reasons.map(reason => (
                <li key={reason.id}>{children(reason)}</li>
              ))}
            </ul>
          </div>
        )
      })}
    </>
  )
}
