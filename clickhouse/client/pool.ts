/** A fixed number of members; callers wait in order while all are in use. */
export interface Pool<Member> {
  take(): Promise<Member>
  give(member: Member): void
  /** Takes one for the time of the call. */
  use<Result>(work: (member: Member) => Promise<Result>): Promise<Result>
  /** Waits for those in use, then closes all. */
  close(): Promise<void>
}

/** A pool of these members, all of them free. */
export function createPool<Member>(
  members: readonly Member[],
  closeMember: (member: Member) => Promise<void>,
): Pool<Member> {
  const free = [...members]
  const waiting: ((member: Member) => void)[] = []

  async function take(): Promise<Member> {
    return free.pop() ?? new Promise(resolve => waiting.push(resolve))
  }
  function give(member: Member): void {
    const next = waiting.shift()
    if (next) next(member)
    else free.push(member)
  }
  return {
    take,
    give,
    async use(work) {
      const member = await take()
      try {
        return await work(member)
      } finally {
        give(member)
      }
    },
    async close() {
      for (let i = 0; i < members.length; i++) await closeMember(await take())
    },
  }
}
