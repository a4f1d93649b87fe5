import type { NativeCode } from '../../../schema/alarm-instance.ts'
import type { Entity, Finder } from '../entities.ts'

/** Finds native codes by their ids. */
export function nativeCodeFinder(natives: readonly NativeCode[]): Finder {
  const known = new Map(natives.map(native => [native.id, native]))
  const textsOf = ({ id }: Entity): readonly [nativeCode: string, message: string, state: string] => {
    const native = known.get(Number(id))
    return [native?.nativeCode ?? '', native?.message ?? '', native?.level ?? '']
  }
  return {
    key: 'nativeCode',
    find: (_, id) => {
      const native = typeof id === 'number' ? known.get(id) : undefined
      return native ? [{ id: String(native.id), name: native.nativeCode }] : []
    },
    order: textsOf,
    shown: entity => {
      const [nativeCode, message, state] = textsOf(entity)
      return { id: Number(entity.id), nativeCode, message, state }
    },
  }
}
