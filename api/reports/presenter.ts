import type { GroupingName } from '../../schema/groupings.ts'
import type { Member } from './member.ts'

/** How a report's groups are shown. */
export interface Presenter<G, Value extends PresentedValue = PresentedValue> {
  /** The whole report. */
  readonly root: G
  readonly groups: readonly GroupingName[]
  /** The groups of the next level within it that have something in them, in order. */
  readonly childrenOf: (group: G) => readonly G[]
  readonly memberOf: (group: G) => Member
  /** What the groups of a level stand for, each once, in order; 0: those of the first grouping. */
  readonly membersAt: (level: number) => readonly Member[]
  /** What the values of a group are called. */
  readonly names: readonly string[]
  /** One of them, by its index among the names. */
  readonly valueAt: (group: G, index: number) => Value
}

export type PresentedValue = number | string | null

/** The groups of the last level in order, each with what it and those above it stand for. The whole report where nothing is grouped by. */
export function* deepest<G>(
  presenter: Presenter<G>,
  parent = presenter.root,
  above: readonly Member[] = [],
): Generator<{ readonly members: readonly Member[]; readonly group: G }> {
  const left = presenter.groups.length - above.length
  if (left === 0) return yield { members: [], group: parent }
  for (const group of presenter.childrenOf(parent)) {
    const members = [...above, presenter.memberOf(group)]
    if (left === 1) yield { members, group }
    else yield* deepest(presenter, group, members)
  }
}
