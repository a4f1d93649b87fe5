import type { VersionedDocument } from '../../schema/document-store.ts'
import type { Steps } from '../../shared/async/steps.ts'
import {
  dateTimeColumn,
  type NativeColumn,
  nativeRows,
  type NativeRows,
  StringColumn,
  uint32Column,
  uint64Column,
} from '../client/native-block.ts'
import { lists } from './document-lists.ts'

/**
 * Converts documents to rows of `hours`, as columns. Lists that are empty in all documents are omitted, because their
 * default is empty and every column has a cost. Yields to the event loop.
 */
export function* documentBlock(documents: readonly VersionedDocument[]): Steps<NativeRows> {
  const columns = [...ownColumns(documents)]
  for (const { isEmpty, block } of lists) if (!documents.every(isEmpty)) columns.push(...(yield* block(documents)))
  return nativeRows(documents.length, columns)
}

function ownColumns(documents: readonly VersionedDocument[]): readonly NativeColumn[] {
  const states = new StringColumn(documents.length * 512)
  for (const { stateOut } of documents) states.push(stateOut)
  return [
    uint32Column(
      'company',
      Uint32Array.from(documents, ({ companyRef }) => companyRef),
    ),
    uint32Column(
      'machine',
      Uint32Array.from(documents, ({ machineRef }) => machineRef),
    ),
    dateTimeColumn(
      'slot',
      Uint32Array.from(documents, ({ slotMs }) => slotMs / 1000),
    ),
    uint64Column(
      'version',
      BigUint64Array.from(documents, ({ version }) => version),
    ),
    uint64Column(
      'hash_in',
      BigUint64Array.from(documents, ({ hashIn }) => BigInt(hashIn)),
    ),
    uint64Column(
      'hash_out',
      BigUint64Array.from(documents, ({ hashOut }) => BigInt(hashOut)),
    ),
    states.column('state_out'),
  ]
}
