import { type Addition, insert } from '../../support/addition.ts'

/** A setting of machines that users read and change: where the machine is. */
export const machineSetting: Addition = {
  section: "Add a machine's setting",
  changes: [
    insert(
      'schema/records/machine.ts',
      'microstopMs: t.withDefault(',
      '  location: t.withDefault(t.nullable(t.shortText), null),',
    ),
    insert(
      'web/screens/machine/settings-panel.tsx',
      '[t.reports.filters.machineGroup,',
      '    [words.fields.location, machine.location],',
    ),
    insert('web/texts/machine.en.ts', "make: 'Make and model'", "    location: 'Location',"),
    insert('web/texts/machine.de.ts', "make: 'Hersteller und Modell'", "    location: 'Standort',"),
    insert(
      'web/screens/settings/parts/machines.tsx',
      "{ kind: 'text', name: 'make'",
      "            { kind: 'text', name: 'location', label: own.location },",
    ),
    insert('web/texts/settings.en.ts', "make: 'Make',", "    location: 'Location',"),
    insert('web/texts/settings.de.ts', "make: 'Hersteller',", "    location: 'Standort',"),
    insert(
      'test/processors/registrar/commands/machine.test.ts',
      "describe('machine.delete'",
      `describe('location of a machine', () => {
  it('A machine keeps its location, which is null by default and a text', () => {
    const plant = new Plant()
    expect(plant.records.machine(plant.machine())?.location).to.equal(null)
    expect(plant.records.machine(plant.machine({ location: 'Hall 2' }))?.location).to.equal('Hall 2')
    const faults = plant.faults('machine.put', { id: randomUUID(), name: 'Mill', location: 2 })
    expect(faults).to.deep.equal(['location InvalidType'])
  })
})
`,
    ),
  ],
  unneeded: {
    'docs/concepts.md': 'It does not change figures.',
    'processors/records/machine-inputs.ts': 'No document depends on it.',
    'processors/records/affected.ts': 'No document depends on it.',
    'test/processors/timeline/support.ts': 'It does not change the meaning of samples.',
    'test/oracle/plant-records.ts': 'It does not change figures.',
  },
}
