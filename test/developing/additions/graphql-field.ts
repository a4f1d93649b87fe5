import { type Addition, insert, replace } from '../../support/addition.ts'

/** The location of a machine, which is a member of its record, as a GraphQL field. */
export const graphqlField: Addition = {
  section: 'Add a GraphQL field',
  names: { subject: 'plant' },
  changes: [
    insert(
      'api/graphql/model/entities/plant.ts',
      "make: column.textOrNull(textOrNullIn(sql`'make'`)),",
      "    location: column.textOrNull(textOrNullIn(sql`'location'`)),",
    ),
    replace('test/api/graphql/naive-plant.ts', "make: 'text',", "location: 'text', make: 'text',"),
    insert('test/api/graphql/naive-plant.ts', 'make: orNull(pick(names)),', '    location: orNull(pick(names)),'),
  ],
  generated: { 'api/graphql/schema.graphql': 'location: String\n' },
}
