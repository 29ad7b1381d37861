//! Both forms of titres, what is refused, and what the real data hold in store.

use super::*;

fn read(text: &str) -> Result<Titers, InputError> {
    from_source(Source::from_bytes("hi.csv", text.as_bytes()))
}

fn refused(text: &str) -> String {
    read(text).map(|titers| titers.names().len()).unwrap_err().to_string()
}

fn shown(titers: &Titers) -> Vec<(String, String, Titer)> {
    let name = |object| titers.names().get(object).into_owned();
    titers.rows().iter().map(|row| (name(row.virus), name(titers.n_viruses() + row.serum), row.titer)).collect()
}

#[test]
fn a_table_and_its_long_form_say_the_same() {
    let table = read(",s1,s2\nv1,640,<40\nv2,*,>1280\nv3,22.5,10\n").unwrap();
    let long = read("virus,serum,titer\nv1,s1,640\nv1,s2,<40\nv2,s2,>1280\nv2,s1,*\nv3,s1,22.5\nv3,s2,10\n").unwrap();
    assert_eq!((table.n_viruses(), table.n_sera(), table.rows().len()), (3, 2, 5));
    assert_eq!(shown(&table), shown(&long));
    assert_eq!(shown(&table)[1], ("v1".into(), "s2".into(), Titer::Below(40.0)));
    // Tabs, a header one cell shorter as R writes it, and blank cells.
    let other = read("s1\ts2\nv1\t640\t<40\nv2\t\t>1280\nv3\t22.5\t10\n").unwrap();
    assert_eq!(shown(&other), shown(&table));
    assert!(other.warnings()[0].contains("1 empty cell counts as not measured"), "{:?}", other.warnings());
}

#[test]
fn a_virus_and_a_serum_of_one_name_are_two_objects() {
    let titers = read("virus,serum,titer\na,a,640\nb,a,320\nb,c,80\n").unwrap();
    let names: Vec<_> = titers.names().iter().map(|name| name.into_owned()).collect();
    assert_eq!(names, ["a", "b", "a (serum)", "c"]);
    assert_eq!(titers.rows()[0], TiterRow { virus: 0, serum: 0, titer: Titer::Number(640.0) });
}

#[test]
fn repeats_and_exact_duplicates_are_rows_of_their_own() {
    let titers = read("virus,serum,titer\nv,s,640\nv,s,640\nv,s,<40\nw,s,20\nw,t,20\n").unwrap();
    assert_eq!(titers.rows().len(), 5);
    // Potencies are largest numbers: a limit counts only where there is nothing else.
    let titers = read("virus,serum,titer\nv,s,20\nv,s,<40\nw,t,<10\nw,t,<20\n").unwrap();
    let log2 = |value: f64| value.log2();
    assert_eq!(titers.largest(), [log2(20.0), log2(20.0), log2(20.0), log2(20.0)]);
}

#[test]
fn the_year_on_most_lines_counts() {
    let header = "virusIsolate,virusStrain,virusYear,serumIsolate,serumStrain,serumYear,titer\n";
    let titers = read(&format!(
        "{header}v-1,v,1977,s,x,1980,640\nv/1,v,1978,t,x,1980,640\nv-1,v,1978,t,y,1981,80\nw,w,,t,x,1980,20\n"
    ))
    .unwrap();
    assert_eq!((titers.n_viruses(), titers.n_sera()), (2, 2));
    let years: Vec<_> = (0..4).map(|object| titers.year(object)).collect();
    assert_eq!(years, [Some(1978.0), None, Some(1980.0), Some(1980.0)]);
    assert_eq!(titers.warnings().len(), 2, "{:?}", titers.warnings());
    assert!(titers.notes()[0].contains("2 viruses of column virusStrain"), "{:?}", titers.notes());
}

#[test]
fn refusals_say_where_and_what_to_do() {
    assert_eq!(
        refused("virus,serum,titer\nv,s,80/160\n"),
        "hi.csv, line 2, column 3 (v to s): \"80/160\" is no titre. Remedy: write a number, <40, >1280, or * for a pair that was \
         not measured; repeats go in lines of the long form."
    );
    assert!(refused(",s1,s2\nv1,640,0\n").starts_with("hi.csv, line 2, column 3 (v1): \"0\" is no titre"));
    assert!(refused(",s1,s1\nv1,640,10\n").contains("the serum s1 has two columns"));
    assert!(refused(",s1,s2\nv1,640,10\nv1,20,10\n").contains("line 3: the virus v1 has two rows"));
    assert!(refused(",s1,s2\nv1,640\n").contains("the line has 1 titres, the header has 2 sera"));
    assert!(refused(",s1,s2\nv1,*,*\n").contains("no titre is a number or a limit"));
    assert!(refused(",s1,s2\n").contains("there is a header, but no virus"));
    assert!(refused("virus,titer\nv,40\n").contains("none that names the serum"));
    assert!(refused("virus,serum,titer\nv,s\n").contains("the line has 2 cells, the header has 3"));
    assert!(refused("virus,serum,titer\n,s,40\n").contains("a name is empty"));
    assert!(refused("").contains("the file is empty"));
}
