/** A fixed number of members. If all are in use, callers wait in order. */
export interface Pool<Member> {
  acquire(): Promise<Member>
  release(member: Member): void
  /** Runs a call with a member, and releases the member afterwards. */
  use<Result>(work: (member: Member) => Promise<Result>): Promise<Result>
  /** Waits until all members are released, and closes them. */
  close(): Promise<void>
}

/** Creates a pool of these members. */
export function createPool<Member>(
  members: readonly Member[],
  closeMember: (member: Member) => Promise<void>,
): Pool<Member> {
  const free = [...members]
  const waiting: ((member: Member) => void)[] = []

  async function acquire(): Promise<Member> {
    return free.pop() ?? new Promise(resolve => waiting.push(resolve))
  }
  function release(member: Member): void {
    const next = waiting.shift()
    if (next) next(member)
    else free.push(member)
  }
  return {
    acquire,
    release,
    async use(work) {
      const member = await acquire()
      try {
        return await work(member)
      } finally {
        release(member)
      }
    },
    async close() {
      for (let i = 0; i < members.length; i++) await closeMember(await acquire())
    },
  }
}
